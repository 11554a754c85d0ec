// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Cut makes a text that may quote other servers fit for a status, and for a terminal: it escapes hidden characters, and
// leaves at most v1beta1.MaxProfileMessageBytes.
func Cut(words string) string {
	words = text.Escape(words)
	if len(words) > v1beta1.MaxProfileMessageBytes {
		words = strings.ToValidUTF8(words[:v1beta1.MaxProfileMessageBytes-len("...")], "") + "..."
	}
	return words
}
