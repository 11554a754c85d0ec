// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Anybody may write an event about an object of any name. It neither breaks the page nor fills the memory.
func TestOddNames(t *testing.T) {
	long, odd := strings.Repeat("x", 100_000), "a\x1b[2Jb\nc"
	s := New(noon.Add(time.Hour))
	for second := range 50 {
		s.Event(event("NodeMaintenance", "disk", second, "Reason", "message"))
	}
	s.Event(event("NodeMaintenance", long, 1, "Long", "message"))
	s.Event(event("NodeMaintenance", odd, 1, "Odd", "message"))
	s.Event(event("Node", long, 2, "LongNode", "message"))
	s.Event(event("Node", odd, 2, "OddNode", "message"))
	s.Audit(audit(3, "create", "nodemaintenances", "disk-2", `"maintenance.medik8s.io/node":"`+long+`"`, 201))
	got := told(t, s)
	if len(got) > 20_000 {
		t.Errorf("the page has %d bytes", len(got))
	}
	if strings.Contains(got, "\x1b") || strings.Contains(got, "\nc") {
		t.Errorf("a name is not escaped in:\n%s", got)
	}
	for _, want := range []string{"  " + strings.Repeat("x", 62) + "…  Long: message\n", "Node " + strings.Repeat("x", 62) + "…: not in maintenance now\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in:\n%s", want, got)
		}
	}
	for _, e := range s.entries {
		if len(e.node) > 253 || len(e.hold) > 253 {
			t.Errorf("a name of %d bytes is kept", max(len(e.node), len(e.hold)))
		}
	}
}

// The operator's NodeMaintenance has the name of the hold that it was imported as.
func TestHoldsOfTheSameName(t *testing.T) {
	s := New(noon.Add(time.Hour))
	s.Hold(hold("disk", "worker-1", func(nm *v1beta1.NodeMaintenance) { nm.UID = "ours" }))
	s.Hold(hold("disk", "worker-2", func(nm *v1beta1.NodeMaintenance) { nm.UID, nm.Spec.Requestor, nm.Spec.Stage = "theirs", "", "" }))
	got := told(t, s)
	for _, want := range []string{"worker-1: not in maintenance now\n  Hold disk of alice, stage Drain", "worker-2: not in maintenance now\n  Hold disk of an unknown user: "} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in:\n%s", want, got)
		}
	}
}

// What happens while the command reads is not still to come, and neither is what another clock says.
func TestOnlyPlansAreToCome(t *testing.T) {
	s := New(noon)
	s.Node(node("worker-1"))
	s.Hold(hold("disk", "worker-1", func(nm *v1beta1.NodeMaintenance) {
		nm.Status.StartTime, nm.Status.Deadline, nm.Status.ExpirationTime = ptr(at(3)), ptr(at(2)), ptr(at(60))
	}))
	got := told(t, s)
	want := "  12:00:03  hold    disk  the drain began\n  12:00:00  now; what follows is still to come\n" +
		"  12:00:02  hold    disk  the deadline of the drain\n  12:01:00  hold    disk  expires\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("want the end %q, got:\n%s", want, got)
	}
}

// A request is told once, and not if it is older than what is asked for.
func TestAuditOnceAndSince(t *testing.T) {
	s := New(noon.Add(time.Hour))
	s.AuditedSince = at(10).Time
	line := strings.Replace(string(audit(20, "create", "nodemaintenances", "disk", onWorker1, 201)), `"kind":`, `"auditID":"1","kind":`, 1)
	s.Audit([]byte(line))
	s.Audit([]byte(line))
	s.Audit(audit(9, "create", "nodemaintenances", "earlier", onWorker1, 201))
	got := told(t, s)
	if strings.Count(got, "create nodemaintenances/disk") != 1 || strings.Contains(got, "earlier") {
		t.Errorf("want one request, got:\n%s", got)
	}
}
