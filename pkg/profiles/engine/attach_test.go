// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// No more NodeProfiles are created than there may be, whatever comes later; the profile says so, and another process goes on
// with the same ones. If one goes, the first of those that lack takes its place.
func TestRoomForNodeProfiles(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		for i := range 4 {
			w.node(fmt.Sprint("n", i))
		}
		bounded := func(c *Config) { c.MaxNodeProfiles = 3 }
		leader := w.start(bounded)
		w.profile("a")
		w.wait(10 * time.Second)
		w.wantAttached("a", 3, 1)
		w.node("n4")
		w.wait(10 * time.Second)
		w.wantAttached("a", 3, 2)

		before := w.attached("a")
		leader.stop()
		w.start(bounded)
		w.wait(10 * time.Second)
		w.wantAttached("a", 3, 2)
		if after := w.attached("a"); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the profile was on %v, and then on %v", before, after)
		}

		w.changeProfile("a", func(s *v1beta1.MaintenanceProfileSpec) {
			s.Nodes.Selector = nil
			s.Nodes.Names = []string{"n0", "n1", "n4"}
		})
		w.wait(20 * time.Second)
		w.wantAttached("a", 3, 0)
		if got := fmt.Sprint(w.attached("a")); got != "[n0 n1 n4]" {
			t.Errorf("the profile is on %s, want the nodes that it names", got)
		}
	})
}

// attached are the nodes that a profile is on.
func (w *world) attached(profile string) (nodes []string) {
	for i := range 5 {
		if node := fmt.Sprint("n", i); w.get(node, profile) != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// wantAttached wants a profile to be on so many nodes, and to say on how many it is not.
func (w *world) wantAttached(profile string, nodes, lacks int) {
	w.t.Helper()
	if got := w.attached(profile); len(got) != nodes {
		w.t.Errorf("the profile is on %v, want %d nodes", got, nodes)
	}
	stored := drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", profile)
	condition := apimeta.FindStatusCondition(stored.Status.Conditions, v1beta1.ConditionAttached)
	switch want := fmt.Sprintf("it is not on %d of the nodes that it selects: this server has room for 3 NodeProfiles of all profiles; "+
		"have profiles select fewer nodes, or raise the server's memory limit", lacks); {
	case lacks == 0 && condition != nil:
		w.t.Errorf("the profile says %+v", condition)
	case lacks > 0 && (condition == nil || condition.Status != metav1.ConditionFalse || condition.Reason != v1beta1.ReasonTooManyNodeProfiles || condition.Message != want):
		w.t.Errorf("the profile says %+v, want %s", condition, want)
	}
}

// What is compiled of a profile does not outlive it.
func TestGoneProfilesAreForgotten(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		forgotten := make(chan string, 1)
		w.start(func(c *Config) { c.Forget = func(profile string) { forgotten <- profile } })
		w.profile("a")
		w.wait(time.Second)
		w.Remove(&v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
		w.wait(time.Second)
		select {
		case profile := <-forgotten:
			if profile != "a" {
				t.Errorf("%s is forgotten, want a", profile)
			}
		default:
			t.Error("what was compiled of a profile is kept when the profile is gone")
		}
	})
}
