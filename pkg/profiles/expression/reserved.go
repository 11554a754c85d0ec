// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import "slices"

// reserved are the words that cel-go's parser takes for something else than a name.
var reserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
	"namespace", "null", "package", "return", "true", "var", "void", "while",
}

// Reserved says whether a word cannot be the name of a check, since CEL has reserved it.
func Reserved(name string) bool { return slices.Contains(reserved, name) }
