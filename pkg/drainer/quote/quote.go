// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quote makes texts that may quote what others wrote fit to be shown, like the reason of a hold
// or the answer of a webhook. Such texts go into statuses and events. A terminal would obey their control
// characters, and a status that is too large cannot be written at all.
package quote

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
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

// Cut escapes hidden characters, and cuts a text of more than most bytes between two characters.
func Cut(quoted string, most int) string {
	const mark = "..."
	quoted = text.Escape(quoted)
	if len(quoted) <= most {
		return quoted
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(quoted[end]) {
		end--
	}
	return quoted[:end] + mark
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
