// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"errors"
	"regexp"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// maxErrorBytes is the most bytes of an error of a template, which may quote data.
const maxErrorBytes = 256

// place is where text/template says that an error is.
var place = regexp.MustCompile(`^template: ` + name + `:(\d+)(?::\d+)?: (?:executing "` + name + `" at )?`)

// ours is how text/template names the functions that guards call.
var ours = regexp.MustCompile(`<(?:` + itemsFunction + `|` + insertFunction + `)>: |error calling (?:` + itemsFunction +
	`|` + insertFunction + `): `)

// readable says an error of text/template as ours are said.
func readable(err error) error {
	said := place.ReplaceAllString(err.Error(), "line $1: ")
	said = ours.ReplaceAllString(said, "")
	return errors.New(quote.Cut(said, maxErrorBytes))
}
