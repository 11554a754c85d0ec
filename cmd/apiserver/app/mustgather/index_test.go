// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestIndex(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	tests := map[string]struct {
		fill        func(x *index)
		wantFiles   string
		wantMissing string
	}{
		"whole": {
			fill: func(x *index) {
				x.begin("nodes/", "every node").files = 3
				x.begin("pods/", "the pods").files = 1
				x.begin("leases/", "leases")
				x.begin("index.txt", "this page")
			},
			wantFiles: "  nodes/                   every node (3 files)\n  pods/                    the pods (1 file)\n" +
				"  leases/                  leases (none)\n  index.txt                this page\n",
			wantMissing: "  Everything could be read.\n",
		},
		"not allowed, not there, on one line": {
			fill: func(x *index) {
				c := x.begin("pods/", "the pods")
				c.failed("pods", apierrors.NewForbidden(pods, "", errors.New("no")))
				c.failed("pods", apierrors.NewNotFound(pods, "web"))
				c.failed("", errors.New("two\nlines"))
				c.note("%d are cut", 2)
			},
			wantFiles: "  pods/                    the pods (none)\n                             pods: not there: pods \"web\" not found\n" +
				"                             2 are cut\n",
			wantMissing: "  pods/: pods: not allowed: pods is forbidden: no\n  pods/: two\\nlines\n",
		},
		"long, and many": {
			fill: func(x *index) {
				c := x.begin("pods/", "the pods")
				c.failed("", errors.New(strings.Repeat("é", maxReason)))
				for i := range maxMissing + 4 {
					c.failed("", fmt.Errorf("error %d", i))
				}
			},
			wantFiles: "  pods/                    the pods (none)\n",
			wantMissing: "  pods/: " + strings.Repeat("é", maxReason/2) + "…\n  pods/: error 0\n  pods/: error 1\n  pods/: error 2\n  pods/: error 3\n" +
				"  pods/: error 4\n  pods/: error 5\n  pods/: error 6\n  pods/: error 7\n  pods/: error 8\n  pods/: and 5 more\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			x := &index{version: "v1", started: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
			test.fill(x)
			want := "Collected by maintenance-apiserver v1 from 2026-05-04T12:00:00Z to 2026-05-04T12:00:01Z.\n" +
				"Read timeline.txt first. It says what happened to each node in maintenance, and when.\n\nWhat each file is\n" +
				test.wantFiles + "\nWhat could not be read\n" + test.wantMissing + "\n" + leftOut
			if diff := cmp.Diff(want, string(x.text(x.started.Add(time.Second)))); diff != "" {
				t.Errorf("the index (-want +got):\n%s", diff)
			}
		})
	}
}
