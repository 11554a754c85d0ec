// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quote cuts texts that may quote what others wrote, like the finalizers of a pod or the answer
// of a webhook. Such texts go into statuses and events, and a status that is too large cannot be
// written at all.
package quote

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// MaxMessage is the most bytes of the message of a blocker or an event, and of an error.
	MaxMessage = 1024
	// MaxCondition is the most bytes of a condition's message: the messages of a few blockers fit in.
	MaxCondition = 4096
	// MaxNames is how many names of one kind a message lists.
	MaxNames = 3

	// maxObject is the most bytes of the object that a blocker names.
	maxObject = 512
)

// Cut cuts a text of more than most bytes, between two characters.
func Cut(text string, most int) string {
	const mark = "..."
	if len(text) <= most {
		return text
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Blocker cuts the texts of a blocker, so that many blockers fit into a status.
func Blocker(b v1beta1.DrainBlocker) v1beta1.DrainBlocker {
	b.Object, b.Message = Cut(b.Object, maxObject), Cut(b.Message, MaxMessage)
	return b
}

// Names joins the first few of the names and counts the rest.
func Names(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
