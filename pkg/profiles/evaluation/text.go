// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"fmt"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// maxValue is how many bytes of a label or an annotation a message shows.
const maxValue = 64

// sentence is a message for a status.
func sentence(format string, args ...any) string {
	return quote.Cut(fmt.Sprintf(format, args...), v1beta1.MaxProfileMessageBytes)
}

// quoted is a value that others have written, in quotation marks.
func quoted(value string) string { return `"` + quote.Cut(value, maxValue) + `"` }

// moment is a time in a message. It has no time that is left, so that the message does not change by time alone.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// count is a number of things: 1 node, 2 nodes.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// among are names in brackets, with a space before; empty if there are none. They are sorted, and only the first few
// are said.
func among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + quote.Names(slices.Sorted(slices.Values(names)), quote.MaxNames) + ")"
}
