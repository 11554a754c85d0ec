// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import "bytes"

// tail keeps the end of what is written to it, in at most twice its limit of memory.
type tail struct {
	limit int
	kept  []byte
	cut   bool
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.limit {
		t.trim()
	}
	return len(p), nil
}

func (t *tail) trim() {
	if len(t.kept) <= t.limit {
		return
	}
	t.cut = true
	t.kept = t.kept[:copy(t.kept, t.kept[len(t.kept)-t.limit:])]
}

// bytes returns the end, from the beginning of a line.
func (t *tail) bytes() []byte {
	t.trim()
	if !t.cut {
		return t.kept
	}
	if at := bytes.IndexByte(t.kept, '\n'); at >= 0 {
		return t.kept[at+1:]
	}
	return t.kept
}
