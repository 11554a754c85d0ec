// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"strings"
)

// Format is where a text goes. What templates insert is escaped for it; what they say themselves is not.
type Format int

const (
	// Plain is the text of a mail. Nothing is escaped.
	Plain Format = iota
	// Line is the subject of a mail: line breaks and other control characters become spaces, also those of the template.
	Line
	// Slack is a message or a title of Slack: no value can make links, or mention people and channels.
	Slack
)

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// value escapes what a template inserts.
func (f Format) value(text string) string {
	if f == Slack {
		return slackEscapes.Replace(text)
	}
	return text
}

// whole escapes the text that a template has made.
func (f Format) whole(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if f == Line {
		return strings.Join(strings.FieldsFunc(text, breaksLine), " ")
	}
	return text
}

func breaksLine(r rune) bool {
	return r < ' ' || r == '\u007f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}
