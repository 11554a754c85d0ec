// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"fmt"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "line %02d\n", i)
		}
		return b.String()
	}
	tests := map[string]struct {
		limit   int
		text    string
		want    string
		wantCut bool
	}{
		"short":                   {limit: 100, text: lines(1, 3), want: lines(1, 3)},
		"exactly":                 {limit: 24, text: lines(1, 3), want: lines(1, 3)},
		"the end of whole lines":  {limit: 20, text: lines(1, 50), want: lines(49, 50), wantCut: true},
		"one line without an end": {limit: 4, text: "123456789", want: "6789", wantCut: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			end := &tail{limit: test.limit}
			for i := range len(test.text) {
				_, _ = end.Write([]byte{test.text[i]})
				if len(end.kept) > 2*test.limit {
					t.Fatalf("keeps %d bytes with a limit of %d", len(end.kept), test.limit)
				}
			}
			if got := string(end.bytes()); got != test.want || end.cut != test.wantCut {
				t.Errorf("got %q, cut %v, want %q, cut %v", got, end.cut, test.want, test.wantCut)
			}
		})
	}
}
