// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package text knows the characters that a text for people to read must not have, since they make it
// look like something else: control characters, which a terminal obeys, and invisible characters, some
// of which change the order of others.
package text

import (
	"fmt"
	"strings"
	"unicode"
)

// named are the invisible characters. Joiners of letters (U+200C and U+200D) are not among them, because
// some scripts and emojis need them.
var named = map[rune]string{
	0x00AD: "SOFT HYPHEN",
	0x061C: "ARABIC LETTER MARK",
	0x180E: "MONGOLIAN VOWEL SEPARATOR",
	0x200B: "ZERO WIDTH SPACE",
	0x200E: "LEFT-TO-RIGHT MARK",
	0x200F: "RIGHT-TO-LEFT MARK",
	0x2028: "LINE SEPARATOR",
	0x2029: "PARAGRAPH SEPARATOR",
	0x202A: "LEFT-TO-RIGHT EMBEDDING",
	0x202B: "RIGHT-TO-LEFT EMBEDDING",
	0x202C: "POP DIRECTIONAL FORMATTING",
	0x202D: "LEFT-TO-RIGHT OVERRIDE",
	0x202E: "RIGHT-TO-LEFT OVERRIDE",
	0x2060: "WORD JOINER",
	0x2061: "FUNCTION APPLICATION",
	0x2062: "INVISIBLE TIMES",
	0x2063: "INVISIBLE SEPARATOR",
	0x2064: "INVISIBLE PLUS",
	0x2066: "LEFT-TO-RIGHT ISOLATE",
	0x2067: "RIGHT-TO-LEFT ISOLATE",
	0x2068: "FIRST STRONG ISOLATE",
	0x2069: "POP DIRECTIONAL ISOLATE",
	0x206A: "INHIBIT SYMMETRIC SWAPPING",
	0x206B: "ACTIVATE SYMMETRIC SWAPPING",
	0x206C: "INHIBIT ARABIC FORM SHAPING",
	0x206D: "ACTIVATE ARABIC FORM SHAPING",
	0x206E: "NATIONAL DIGIT SHAPES",
	0x206F: "NOMINAL DIGIT SHAPES",
	0xFEFF: "ZERO WIDTH NO-BREAK SPACE",
	0xFFF9: "INTERLINEAR ANNOTATION ANCHOR",
	0xFFFA: "INTERLINEAR ANNOTATION SEPARATOR",
	0xFFFB: "INTERLINEAR ANNOTATION TERMINATOR",
}

// The usual abbreviations of the control characters, in their order: from U+0000, and from U+007F.
var (
	controls = strings.Fields("NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI " +
		"DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US")
	laterControls = strings.Fields("DEL PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 " +
		"DCS PU1 PU2 STS CCH MW SPA EPA SOS SGCI SCI CSI ST OSC PM APC")
)

const (
	firstLaterControl = 0x7F
	firstTag, lastTag = 0xE0000, 0xE007F
)

// Hidden says whether a text for people must not have the character.
func Hidden(r rune) bool {
	_, invisible := named[r]
	return invisible || unicode.IsControl(r) || isTag(r)
}

func isTag(r rune) bool { return r >= firstTag && r <= lastTag }

// Describe says what a hidden character is, for an error: its kind, its name and its code.
func Describe(r rune) string {
	switch {
	case r == '\n':
		return "control character LF (U+000A, a new line)"
	case r == '\t':
		return "control character HT (U+0009, a tab)"
	case int(r) < len(controls):
		return fmt.Sprintf("control character %s (U+%04X)", controls[r], r)
	case unicode.IsControl(r):
		return fmt.Sprintf("control character %s (U+%04X)", laterControls[r-firstLaterControl], r)
	case isTag(r):
		return fmt.Sprintf("invisible character TAG (U+%04X)", r)
	default:
		return fmt.Sprintf("invisible character %s (U+%04X)", named[r], r)
	}
}
