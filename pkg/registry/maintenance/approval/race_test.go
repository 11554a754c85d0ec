// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// rounds is how often each race is run.
const rounds = 20

var approved = v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}

func together(work ...func()) {
	var all sync.WaitGroup
	for _, do := range work {
		all.Go(do)
	}
	all.Wait()
}

func TestApproversAtOnce(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	for i := range rounds {
		name := fmt.Sprintf("a-%d", i)
		c.hold(t, name, "worker-1")
		errs := make([]error, 4)
		together(
			func() { _, errs[0] = c.decide("bob", name, approved) },
			func() { _, errs[1] = c.decide("carol", name, approved) },
			func() { _, errs[2] = c.decide("dave", name, approved) },
			func() { _, errs[3] = c.decide("bob", name, approved) },
		)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		found, _ := c.served.hold(as("alice"), name)
		if got := len(decisionsOf(found)); got != 3 {
			t.Fatalf("%d decisions of 3 are stored: %+v", got, decisionsOf(found))
		}
		c.end(t, name)
	}
}

// A decision that names the generation is never one on what came after.
func TestApprovalBesideAnEdit(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	for i := range rounds {
		name := fmt.Sprintf("a-%d", i)
		c.hold(t, name, "worker-1")
		seen := approved
		seen.Generation = 1
		var decided, edited error
		together(
			func() { _, decided = c.decide("bob", name, seen) },
			func() {
				edited = c.change(name, func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.EmptyDirPods = v1beta1.PolicyBlock })
			},
		)
		switch {
		case edited != nil:
			t.Fatal(edited)
		case decided == nil:
			c.wantDecisions(t, name, "bob Approved workers 1")
		case apierrors.IsConflict(decided):
			c.wantDecisions(t, name)
		default:
			t.Fatal(decided)
		}
		c.end(t, name)
	}
}

// Either the decision is withdrawn, and the hold was not admitted, or the withdrawal is refused.
func TestWithdrawalBesideTheStart(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	for i := range rounds {
		name := fmt.Sprintf("a-%d", i)
		c.hold(t, name, "worker-1")
		if _, err := c.decide("bob", name, approved); err != nil {
			t.Fatal(err)
		}
		now := metav1.Now()
		started := false
		var withdrawn error
		together(
			func() { withdrawn = c.withdraw("bob", name) },
			func() {
				c.changeStatus(t, name, func(a *v1beta1.MaintenanceAdmission) {
					if started = len(a.Approvals) > 0; started {
						a.Stage, a.AdmittedTime, a.Approved = v1beta1.StageDrain, &now, true
					}
				})
			},
		)
		switch {
		case started && !apierrors.IsConflict(withdrawn):
			t.Fatalf("it has started, and the approval was withdrawn: %v", withdrawn)
		case !started && withdrawn != nil:
			t.Fatalf("it has not started, and the approval was not withdrawn: %v", withdrawn)
		}
		c.end(t, name)
	}
}

// end makes room: a user may have only so many holds on a node.
func (c *cluster) end(t *testing.T, name string) {
	t.Helper()
	_, _, err := c.holds.Delete(as("alice"), name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
