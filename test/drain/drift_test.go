// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"slices"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// repairTime is how long something that was undone may stay so.
const repairTime = 2 * time.Second

// Not parallel: it measures time.
func TestTimedDriftRepair(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	hold := p.drain(t, "a", node)
	tests := map[string]func(t *testing.T){
		"uncordoned":         func(t *testing.T) { p.Kubectl().Must(t, "", "uncordon", node) },
		"taint removed":      func(t *testing.T) { p.Kubectl().Must(t, "", "taint", "node", node, "medik8s.io/drain-") },
		"all taints removed": func(t *testing.T) { p.patchNode(t, node, `{"spec":{"taints":null}}`) },
		"label removed": func(t *testing.T) {
			p.Kubectl().Must(t, "", "label", "node", node, "remediation.medik8s.io/exclude-from-remediation-")
		},
		"label changed": func(t *testing.T) {
			p.Kubectl().Must(t, "", "label", "--overwrite", "node", node, "remediation.medik8s.io/exclude-from-remediation=false")
		},
		"annotation removed": func(t *testing.T) { p.Kubectl().Must(t, "", "annotate", "node", node, "maintenance.medik8s.io/holds-") },
	}
	for name, undo := range tests {
		t.Run(name, func(t *testing.T) {
			undo(t)
			env.Eventually(t, "node is as it should be again", func(context.Context) string {
				if marks := marksOn(p.Node(t, node)); !slices.Equal(marks, allMarks) {
					return "it has only " + joined(marks)
				}
				return ""
			})
			if took := p.repairTook(t, node); took > repairTime {
				t.Errorf("it was repaired after %s, want at most %s", took, repairTime)
			}
		})
	}
	p.waitForEvent(t, kindNode, node, "DriftRepaired", node, hold.Name)
	p.waitForEvent(t, kindHold, hold.Name, "DriftRepaired", node)
	if now := p.WaitForHold(t, hold.Name, "still drained", succeeded); !now.Status.StartTime.Equal(hold.Status.StartTime) {
		t.Error("drift of the node alone started a new drain")
	}
}

// repairTook is the time between the last change of a node by the admin and our
// server's next one.
func (p *pool) repairTook(t *testing.T, node string) time.Duration {
	t.Helper()
	var undone, repaired time.Time
	for _, event := range p.audit(t, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return ref != nil && ref.Resource == "nodes" && ref.Subresource == "" && ref.Name == node && event.Verb == "patch"
	}) {
		switch event.User.Username {
		case "admin":
			undone, repaired = event.StageTimestamp.Time, time.Time{}
		case serverUser:
			if repaired.IsZero() {
				repaired = event.StageTimestamp.Time
			}
		}
	}
	if undone.IsZero() || repaired.IsZero() {
		t.Fatalf("the audit log has no change by the admin, or no repair: %s, %s", undone, repaired)
	}
	return repaired.Sub(undone)
}
