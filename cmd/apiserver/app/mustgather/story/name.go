// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
)

// maxName is how many characters of a name are shown.
const maxName = 63

// possible cuts what is no name of an object: events and logs may name anything, and the story keeps it.
func possible(name string) string {
	if len(name) <= validation.DNS1123SubdomainMaxLength {
		return name
	}
	return strings.Clone(name[:validation.DNS1123SubdomainMaxLength])
}

// shown is a name as the story shows it: it changes neither the columns nor what a terminal does.
func shown(name string) string {
	visible := []rune(text.Escape(name))
	if len(visible) > maxName {
		return string(visible[:maxName-1]) + "…"
	}
	return string(visible)
}
