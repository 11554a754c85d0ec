// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// What is waited for is no mere word: people see at once that it has changed.
func TestSameWaiting(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after string
		want          bool
	}{
		"a number":            {"room: 1 of 2 nodes", "room: 2 of 2 nodes", true},
		"a place":             {"3rd of 12 that wait for a place: room: 2 of 2", "2nd of 11 that wait for a place: room: 2 of 2", true},
		"a place at last":     {"room: 2 of 2", "2nd of 11 that wait for a place: room: 2 of 2", true},
		"another check":       {"room: 2 of 2", "window: the window opens Mon", false},
		"a veto":              {"room: 2 of 2", "vetoed by dana: the sale", false},
		"a push under a veto": {"vetoed by dana: the sale", "pushed by admin, but vetoed by dana: the sale", false},
		"another profile":     {"1st of 1 that wait for a place", "profile esx is in maintenance on this node", false},
		"nothing any more":    {"room: 2 of 2", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			for where, set := range map[string]func(status *v1beta1.NodeProfileStatus, words string){
				"status":     func(status *v1beta1.NodeProfileStatus, words string) { status.WaitingFor = words },
				"transition": func(status *v1beta1.NodeProfileStatus, words string) { status.Transitions[0].WaitingFor = words },
			} {
				before := &v1beta1.NodeProfileStatus{Transitions: []v1beta1.TransitionStatus{{Name: "start"}}}
				after := before.DeepCopy()
				set(before, tc.before)
				set(after, tc.after)
				if got := SameResults(before, after); got != tc.want {
					t.Errorf("%s: got %t, want %t", where, got, tc.want)
				}
			}
		})
	}
}
