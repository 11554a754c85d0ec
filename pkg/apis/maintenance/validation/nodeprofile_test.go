// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func newNodeProfile(name, node, profile string) *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.NodeProfileSpec{NodeName: node, Profile: profile}}
}

func TestNodeProfiles(t *testing.T) {
	long := strings.Repeat("a", 63) + "." + strings.Repeat("b", 63) + "." + strings.Repeat("c", 63) + "." + strings.Repeat("d", 61)
	for name, test := range map[string]struct {
		nodeProfile *v1beta1.NodeProfile
		want        []string
	}{
		"as it is":     {nodeProfile: newNodeProfile("worker-1.example.flatcar", "worker-1.example", "flatcar")},
		"a long name":  {nodeProfile: newNodeProfile(v1beta1.NodeProfileName(long, "flatcar"), long, "flatcar")},
		"another name": {nodeProfile: newNodeProfile("flatcar", "worker-1", "flatcar"), want: []string{`metadata.name: Unsupported value: "flatcar": supported values: "worker-1.flatcar"`}},
		"no node": {
			nodeProfile: newNodeProfile("flatcar", "", "flatcar"),
			want:        []string{"spec.nodeName: Required value: must name the node to take out of service"},
		},
	} {
		t.Run(name, func(t *testing.T) { wantErrors(t, ValidateNodeProfile(test.nodeProfile), test.want...) })
	}
}

func TestNodeProfileStaysOnItsNode(t *testing.T) {
	old, changed := newNodeProfile("a.b", "a", "b"), newNodeProfile("a.b", "c", "b")
	if errs := ValidateNodeProfileUpdate(changed, old); len(errs) != 1 || !strings.Contains(errs[0].Error(), "field is immutable") {
		t.Errorf("got %v, want that the field is immutable", errs)
	}
}

func TestNodeProfileStatus(t *testing.T) {
	old, changed := newNodeProfile("a.b", "a", "b"), newNodeProfile("a.b", "a", "b")
	wantErrors(t, ValidateNodeProfileStatusUpdate(changed, old))
	changed.Status = v1beta1.NodeProfileStatus{
		State: "Broken", Sequence: -1, Checks: make([]v1beta1.CheckStatus, 65), Transitions: make([]v1beta1.TransitionStatus, 17),
		Notifications: make([]v1beta1.NotificationStatus, 21), Decisions: make([]v1beta1.RecordedDecision, 21), History: make([]v1beta1.TransitionHistory, 21),
	}
	wantErrors(t, ValidateNodeProfileStatusUpdate(changed, old),
		`status.state: Unsupported value: "Broken": supported values: "Operational", "MaintenanceRequired", "InMaintenance"`,
		"status.sequence: Invalid value: -1: must be greater than or equal to 0", "status.checks: Too many: 65: must have at most 64 items",
		"status.transitions: Too many: 17: must have at most 16 items", "status.notifications: Too many: 21: must have at most 20 items",
		"status.decisions: Too many: 21: must have at most 20 items", "status.history: Too many: 21: must have at most 20 items")
	wantErrors(t, ValidateNodeProfileStatusUpdate(changed, changed))
}

func TestNodeProfileDecisions(t *testing.T) {
	for name, test := range map[string]struct {
		decision v1beta1.NodeProfileDecision
		want     []string
	}{
		"approve": {decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileApprove, Sequence: 1, ExpirationSeconds: ptr.To[int64](60)}},
		"veto":    {decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileVeto, Sequence: 1, Reason: "the sale"}},
		"push":    {decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfilePush, Sequence: 1, Transition: "start", Reason: "the disk fails"}},
		"abort":   {decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileAbort, Sequence: 1, Reason: "it hangs"}},
		"nothing": {want: []string{"decision: Required value: must be Approve, Veto, Push or Abort"}},
		"another": {
			decision: v1beta1.NodeProfileDecision{Decision: "Approved", Reason: "r", Sequence: 1},
			want:     []string{`decision: Unsupported value: "Approved": supported values: "Approve", "Veto", "Push", "Abort"`},
		},
		"of another": {
			decision: v1beta1.NodeProfileDecision{ObjectMeta: metav1.ObjectMeta{Name: "c.d"}, Decision: v1beta1.ProfileApprove, Sequence: 1},
			want:     []string{`metadata.name: Invalid value: "c.d": must be the name of the NodeProfile in the URL, or left out`},
		},
		"unseen": {
			decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileApprove},
			want: []string{"sequence: Required value: must be the status.sequence of what you decide on; to see it: " +
				"kubectl get nprof a.b -o jsonpath='{.status.sequence}'"},
		},
		"push of nothing for a while": {
			decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfilePush, Sequence: 1, ExpirationSeconds: ptr.To[int64](60)},
			want: []string{
				"transition: Required value: must be the name of the transition to take; status.transitions has those that can be",
				"reason: Required value: must say why, for other people to read, since the decision is Push",
				"expirationSeconds: Forbidden: is only for Approve and Veto: Push is done at once",
			},
		},
		"a veto without a reason": {
			decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileVeto, Sequence: 1, ExpirationSeconds: ptr.To[int64](59)},
			want: []string{
				"reason: Required value: must say why, for other people to read, since the decision is Veto",
				"expirationSeconds: Invalid value: 59: must be between 60 and 31536000, inclusive",
			},
		},
		"two lines": {
			decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileAbort, Sequence: 1, Reason: "a\nb"},
			want:     []string{`reason: Invalid value: "a\nb": must not have the control character LF (U+000A, a new line), which is at position 2`},
		},
		"a name that no transition has": {
			decision: v1beta1.NodeProfileDecision{Decision: v1beta1.ProfileApprove, Sequence: 1, Transition: "a b"},
			want:     []string{`transition: Invalid value: "a b": must have only letters, digits and "_", and not begin with a digit, such as a_b`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantErrors(t, ValidateNodeProfileDecision(&test.decision, "a.b", "alice"), test.want...)
		})
	}
}

// One profile at most is in maintenance on each node, whoever writes the ledger.
func TestProfilesInLedger(t *testing.T) {
	old := &v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	changed := old.DeepCopy()
	changed.Spec.InMaintenance = []v1beta1.LedgerProfile{{Node: "a", Profile: "x"}, {Node: "b", Profile: "x"}, {Node: "a", Profile: "y"}}
	changed.Spec.Pools = []v1beta1.LedgerPool{{Name: "p"}, {Name: "p"}}
	want := []string{`spec.inMaintenance[2].node: Duplicate value: "a"`, `spec.pools[1].name: Duplicate value: "p"`}
	wantErrors(t, ValidateMaintenanceLedgerUpdate(changed, old), want...)
	wantErrors(t, ValidateMaintenanceLedger(changed), want...)
	wantErrors(t, ValidateMaintenanceLedgerUpdate(changed, changed))
	changed.Spec = v1beta1.MaintenanceLedgerSpec{}
	for i := range 4001 {
		changed.Spec.InMaintenance = append(changed.Spec.InMaintenance, v1beta1.LedgerProfile{Node: fmt.Sprint(i)})
	}
	wantErrors(t, ValidateMaintenanceLedgerUpdate(changed, old), "spec.inMaintenance: Too many: 4001: must have at most 4000 items")
}
