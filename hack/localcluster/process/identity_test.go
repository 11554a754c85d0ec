// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20"
	for name, tc := range map[string]struct {
		content       string
		wantState     byte
		wantStartTime uint64
		wantErr       bool
	}{
		"plain name":                       {content: "7 (etcd) S" + rest, wantState: 'S', wantStartTime: 4711},
		"name with spaces and a bracket":   {content: "7 (a) Z b (c) R" + rest, wantState: 'R', wantStartTime: 4711},
		"zombie":                           {content: "7 (etcd) Z" + rest, wantState: 'Z', wantStartTime: 4711},
		"no name":                          {content: "7 etcd S" + rest, wantErr: true},
		"cut short":                        {content: "7 (etcd) S 1 2 3", wantErr: true},
		"start time is no number":          {content: "7 (etcd) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x", wantErr: true},
		"empty, as of a process that ends": {wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			state, startTime, err := parseStat([]byte(tc.content))
			if (err != nil) != tc.wantErr {
				t.Fatalf("got error %v, want error: %v", err, tc.wantErr)
			}
			if err == nil && (state != tc.wantState || startTime != tc.wantStartTime) {
				t.Errorf("got state %c and start time %d, want %c and %d", state, startTime, tc.wantState, tc.wantStartTime)
			}
		})
	}
}

func TestIdentityAlive(t *testing.T) {
	self, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if !self.Alive() {
		t.Error("this process should be alive")
	}
	recycled := Identity{PID: self.PID, StartTime: self.StartTime - 1}
	if recycled.Alive() {
		t.Error("an earlier process with this pid should not be alive")
	}
}
