// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// maxMessageBytes bounds every text that may quote what others wrote - the finalizers of
	// a pod, the answer of a webhook - where it goes into a status or an event. A status that is
	// too large could not be written at all.
	maxMessageBytes = 1024
	// maxObjectBytes bounds the name of what stands in the way.
	maxObjectBytes = 512
	// maxConditionBytes has room for the messages of some blockers.
	maxConditionBytes = 4096
	// maxQuotedNames is how many names of one kind a message quotes.
	maxQuotedNames = 3
)

// bounded cuts a text that is too long, between two characters.
func bounded(text string, most int) string {
	const cut = "..."
	if len(text) <= most {
		return text
	}
	end := most - len(cut)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}

// boundedBlocker keeps what a blocker says to a size of which a status can take many.
func boundedBlocker(b v1beta1.DrainBlocker) v1beta1.DrainBlocker {
	b.Object, b.Message = bounded(b.Object, maxObjectBytes), bounded(b.Message, maxMessageBytes)
	return b
}

// listed joins the first few of the names and counts the rest.
func listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
