// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"testing"
	"unicode"
)

func TestHiddenCharacters(t *testing.T) {
	tests := map[string]struct {
		text         string
		wantEscaped  string
		wantPosition int
		want         string
	}{
		"plain":                 {text: "new disk, größer 更换 👩\u200d🔧 می\u200cخواهم", wantEscaped: "new disk, größer 更换 👩\u200d🔧 می\u200cخواهم"},
		"bell":                  {text: "größer\a", wantEscaped: `größer\u0007`, wantPosition: 7, want: "control character BEL (U+0007)"},
		"escape sequence":       {text: "\x1b[31mred", wantEscaped: `\u001b[31mred`, wantPosition: 1, want: "control character ESC (U+001B)"},
		"new line":              {text: "a\nb", wantEscaped: `a\nb`, wantPosition: 2, want: "control character LF (U+000A, a new line)"},
		"tab":                   {text: "a\tb\t", wantEscaped: `a\tb\t`, wantPosition: 2, want: "control character HT (U+0009, a tab)"},
		"delete":                {text: "\x7f", wantEscaped: `\u007f`, wantPosition: 1, want: "control character DEL (U+007F)"},
		"later control":         {text: "\u009b", wantEscaped: `\u009b`, wantPosition: 1, want: "control character CSI (U+009B)"},
		"last control":          {text: "\u009f", wantEscaped: `\u009f`, wantPosition: 1, want: "control character APC (U+009F)"},
		"right-to-left":         {text: "a\u202eb\u2066", wantEscaped: `a\u202eb\u2066`, wantPosition: 2, want: "invisible character RIGHT-TO-LEFT OVERRIDE (U+202E)"},
		"byte order mark":       {text: "\ufeffa", wantEscaped: `\ufeffa`, wantPosition: 1, want: "invisible character ZERO WIDTH NO-BREAK SPACE (U+FEFF)"},
		"line separator":        {text: "\u2028", wantEscaped: `\u2028`, wantPosition: 1, want: "invisible character LINE SEPARATOR (U+2028)"},
		"text in tags":          {text: "a\U000e0041", wantEscaped: `a\U000e0041`, wantPosition: 2, want: "invisible character TAG (U+E0041)"},
		"a backslash is itself": {text: `a\n`, wantEscaped: `a\n`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Escape(test.text); got != test.wantEscaped {
				t.Errorf("escaped: got %s, want %s", got, test.wantEscaped)
			}
			hidden, position := FirstHidden(test.text)
			if position != test.wantPosition {
				t.Errorf("got position %d, want %d", position, test.wantPosition)
			}
			if position == 0 {
				return
			}
			if got := Describe(hidden); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Whatever changes the order of characters is hidden, and every hidden character has a name.
func TestEveryHiddenCharacterHasAName(t *testing.T) {
	for r := range rune(unicode.MaxRune) {
		if unicode.Is(unicode.Bidi_Control, r) && !Hidden(r) {
			t.Errorf("U+%04X is not hidden", r)
		}
		if Hidden(r) && Describe(r) == "" {
			t.Errorf("U+%04X has no name", r)
		}
	}
}
