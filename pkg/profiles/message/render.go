// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// Render makes the text: at most v1beta1.MaxRenderedBytes, cut with "..." if it is longer. With some data, a template can
// fail, such as if it goes on from a field that the node does not have. The text then ends there and says so, and the
// error says why: people are rather told half of it than nothing.
func (t *Template) Render(data Data) (string, error) {
	seat, err := crashguard.Process.Enter(context.Background(), t.text)
	if err != nil {
		return t.format.whole(missing(t.format, err)), err
	}
	defer crashguard.Process.Leave(seat)
	r := run{format: t.format}
	copied, err := t.parsed.Clone()
	if err != nil {
		return "", err
	}
	err = copied.Funcs(r.functions()).Execute(&r, data.values())
	if err == nil || r.full {
		return cut(t.format.whole(r.text.String()), r.full), nil
	}
	err = readable(err)
	return cut(t.format.whole(r.text.String()+missing(t.format, err)), false), err
}

func missing(format Format, err error) string {
	return fmt.Sprintf(" [the rest is missing: %s]", format.value(err.Error()))
}

const mark = "..."

// cut cuts a text between two characters, if it is too long or has been cut before.
func cut(text string, cutBefore bool) string {
	if !cutBefore && len(text) <= v1beta1.MaxRenderedBytes {
		return text
	}
	return short(text, v1beta1.MaxRenderedBytes-len(mark)) + mark
}

// short returns the beginning of a text, with most bytes at most.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Write takes what the template writes, until it is enough. It implements io.Writer.
func (r *run) Write(text []byte) (int, error) {
	free := v1beta1.MaxRenderedBytes + 1 - r.text.Len()
	if len(text) < free {
		return r.text.Write(text)
	}
	r.text.Write(text[:free])
	r.full = true
	return free, errFull
}

// run is one rendering.
type run struct {
	format Format
	text   strings.Builder
	// full says that there is more text than there may be.
	full bool
	// items is how many items loops have gone over, and made how many bytes functions have made.
	items, made int
}
