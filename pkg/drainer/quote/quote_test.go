// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quote

import (
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	tests := map[string]struct {
		text string
		most int
		want string
	}{
		"short enough":      {text: "abcdef", most: 6, want: "abcdef"},
		"too long":          {text: "abcdefg", most: 6, want: "abc..."},
		"within characters": {text: "ééééé", most: 8, want: "éé..."},
		"empty":             {most: 6},
		"a new line":        {text: "a\nb", most: 6, want: `a\nb`},
		"escaped, then cut": {text: "\u202eabc", most: 6, want: `\u2...`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Cut(test.text, test.most); got != test.want || !utf8.ValidString(got) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
