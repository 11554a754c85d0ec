// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// FirstHidden returns the first hidden character of a text, and its position: 1 for the first character.
// The position is 0 if there is none.
func FirstHidden(text string) (hidden rune, position int) {
	at := strings.IndexFunc(text, Hidden)
	if at < 0 {
		return 0, 0
	}
	hidden, _ = utf8.DecodeRuneInString(text[at:])
	return hidden, utf8.RuneCountInString(text[:at]) + 1
}

// Escape shows each hidden character of a text by its code, such as \u202e, or \n for a new line.
func Escape(text string) string {
	if strings.IndexFunc(text, Hidden) < 0 {
		return text
	}
	var shown strings.Builder
	for _, r := range text {
		shown.WriteString(escape(r))
	}
	return shown.String()
}

func escape(r rune) string {
	switch {
	case !Hidden(r):
		return string(r)
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r > 0xFFFF:
		return fmt.Sprintf(`\U%08x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}
