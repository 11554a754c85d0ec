// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"strings"
	"testing"
	"time"
)

// What anybody could have made up, and what is not about maintenance, is not told.
func TestWhatIsNotTold(t *testing.T) {
	event := func(message string) string {
		return `{"metadata":{"name":"e"},"involvedObject":{"kind":"Node","name":"worker-1"},"reason":"R","message":"` + message +
			`","source":{"component":"maintenance-apiserver"},"firstTimestamp":"2026-05-04T12:00:00Z"}`
	}
	lease := func(node string) string {
		return `{"metadata":{"name":"node-` + node + `","namespace":"medik8s-leases"},"spec":{"holderIdentity":"h","acquireTime":"2026-05-04T12:00:00.000000Z"}}`
	}
	got := cluster{
		"/api/v1/events": objects("Event", event("made up")),
		"/api/v1/namespaces/default/events?involvedObject.kind=Node":    objects("Event", event("true")),
		"/apis/coordination.k8s.io/v1/namespaces/medik8s-leases/leases": objects("Lease", lease("worker-1"), lease("worker-2")),
	}.gather(t, options{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	got.wantIn(t, "timeline.txt", "R: true", "h took the lease medik8s-leases/node-worker-1")
	for _, unwanted := range []string{"made up", "worker-2"} {
		if strings.Contains(got.files["timeline.txt"], unwanted) {
			t.Errorf("%q is in:\n%s", unwanted, got.files["timeline.txt"])
		}
	}
}

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*options)
		want   string // in the error; empty: none
	}{
		"all is well":   {change: func(*options) {}},
		"https":         {change: func(o *options) { o.server = "https://127.0.0.1:8443" }},
		"not encrypted": {change: func(o *options) { o.server = "http://127.0.0.1:8443" }, want: `--server is "http://127.0.0.1:8443", and must begin with https://`},
		"no scheme":     {change: func(o *options) { o.server = "127.0.0.1:8443" }, want: "must begin with https://"},
		"no time":       {change: func(o *options) { o.timeout = 0 }, want: "--timeout is 0s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := options{namespace: "n", timeout: time.Minute}
			test.change(&o)
			err := o.validate()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
