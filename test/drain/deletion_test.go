// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// deletion is one request of our server to delete a pod, from kube-apiserver's
// audit log.
type deletion struct {
	pod     string
	asked   time.Time
	options metav1.DeleteOptions
}

// deletions are our server's requests to delete pods of the pool's namespace, by
// the pod's name. It must delete none twice.
func (p *pool) deletions(t *testing.T) map[string]deletion {
	t.Helper()
	deletions := map[string]deletion{}
	for _, event := range p.audit(t, func(event *auditv1.Event) bool {
		ref := event.ObjectRef
		return event.Verb == "delete" && ref != nil && ref.Resource == "pods" && ref.Namespace == p.Name && event.User.Username == serverUser
	}) {
		d := deletion{pod: event.ObjectRef.Name, asked: event.RequestReceivedTimestamp.Time}
		if _, again := deletions[d.pod]; again {
			t.Errorf("pod %s was deleted twice", d.pod)
		}
		if err := json.Unmarshal(event.RequestObject.Raw, &d.options); err != nil {
			t.Fatalf("could not read the body of a deletion: %v", err)
		}
		deletions[d.pod] = d
	}
	return deletions
}

// checkDeletions reports what no drain must ever delete.
func (p *pool) checkDeletions(t *testing.T) {
	t.Helper()
	for name, d := range p.deletions(t) {
		preconditions := d.options.Preconditions
		switch {
		case preconditions == nil || preconditions.UID == nil:
			t.Errorf("the deletion of pod %s has no UID precondition", name)
		default:
			if pod, known := p.pods.seen(*preconditions.UID); !known || pod.name != name {
				t.Errorf("the deletion of pod %s has the UID of another pod: %q", name, pod.name)
			}
		}
		if d.options.GracePeriodSeconds != nil && *d.options.GracePeriodSeconds < 1 && !p.hadTime(t, d) {
			t.Errorf("pod %s was deleted with no time to stop", name)
		}
		if !p.statuses.mayDelete(d.asked) {
			t.Errorf("pod %s was deleted, and no hold was past the deadline after which it deletes", name)
		}
	}
}

// hadTime tells whether a pod was evicted long before it was deleted.
func (p *pool) hadTime(t *testing.T, d deletion) bool {
	t.Helper()
	return slices.ContainsFunc(p.evictions(t), func(e eviction) bool {
		return e.pod == d.pod && e.code == http.StatusCreated && d.asked.Sub(e.settled) >= 30*time.Second
	})
}

// mayDelete tells whether one of the holds had a deadline before the given time,
// after which it deletes.
func (r *statusRecord) mayDelete(at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, versions := range r.byHold {
		for _, version := range versions {
			if deadline := version.Status.Deadline; version.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete && deadline != nil && !at.Before(deadline.Time) {
				return true
			}
		}
	}
	return false
}

func TestTimeoutDeletesWhatIsLeft(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	p.Run(t, p.workload().
		Pod("foreign", localcluster.OnNode(node), localcluster.Label("team", "other")).Budget("foreign", localcluster.MinAvailable("1")).
		Pod("doubly", localcluster.OnNode(node), localcluster.GracePeriod(0)).
		Pod("skipped", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, v1beta1.DrainLabelSkip)))
	// The disruption controller brings but one of them up to date when a pod changes.
	p.Run(t, p.workload().
		Budget("doubly", localcluster.MinAvailable("0")).
		Budget("doubly", localcluster.MinAvailable("0"), localcluster.BudgetName("doubly-too")))
	other := p.Hold("other", node) // drains what the first does not, and never deletes
	other.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "other"}}
	p.Create(t, other)
	hold := p.Hold("a", node)
	hold.Spec.Drain = v1beta1.DrainSpec{
		TimeoutSeconds: new(int64(4)), OnTimeout: v1beta1.OnTimeoutDelete,
		PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist}}},
	}
	p.Create(t, hold)
	done := p.WaitForHold(t, hold.Name, "node drained", succeeded)
	if c := condition(done, v1beta1.ConditionDrained); c.Reason != v1beta1.ReasonSelectedPodsGone {
		t.Errorf("Drained for %s, want %s", c.Reason, v1beta1.ReasonSelectedPodsGone)
	}
	if !slices.ContainsFunc(p.statuses.of(t, done), func(version seenHold) bool { return version.Status.Phase == v1beta1.PhaseFailed }) {
		t.Error("the drain never was Failed")
	}
	p.wantApps(t, node, map[string]int{"skipped": 1, "foreign": 1})
	p.waitForEvent(t, kindHold, hold.Name, "DrainTimedOut", hold.Name, "they are being deleted")
	p.WaitForHold(t, other.Name, "the other hold waits", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseRunning && nm.Status.BlockedPodCount == 1
	})
	p.wantGraces(t, map[string]int64{"kept": 30, "doubly": 1})
}

// A pod that was evicted, and that the kubelet does not stop, is removed once its grace period is over for long, if the hold
// deletes what is left.
func TestPodThatDoesNotStopIsRemoved(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().
		Pod("stuck", localcluster.OnNode(node), localcluster.GracePeriod(1)).
		Pod("kept", localcluster.OnNode(node), localcluster.GracePeriod(1), localcluster.Finalizer(foreignFinalizer)))
	t.Cleanup(func() { p.dropFinalizers(t, "kept") })
	if err := p.Cluster.StopKubelet(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	p.reportFor(t, node)
	hold := p.Hold("a", node)
	hold.Spec.Drain = v1beta1.DrainSpec{TimeoutSeconds: new(int64(1)), OnTimeout: v1beta1.OnTimeoutDelete}
	p.Create(t, hold)
	p.WaitForHold(t, hold.Name, "it says when the pod is removed", func(nm *v1beta1.NodeMaintenance) bool {
		return slices.ContainsFunc(nm.Status.Blockers, func(b v1beta1.DrainBlocker) bool {
			return b.Pod == p.Name+"/stuck" && strings.Contains(b.Message, "it is removed at")
		})
	})
	p.WaitForHold(t, hold.Name, "only the pod with the finalizer is left", func(nm *v1beta1.NodeMaintenance) bool {
		return slices.Equal(nm.Status.PendingPods, []string{p.Name + "/kept"})
	})
	p.wantGraces(t, map[string]int64{"stuck": 0})
}

// reportFor keeps a node Ready whose kubelet was stopped, by the kubelet's Lease.
func (p *pool) reportFor(t *testing.T, node string) {
	t.Helper()
	leases := p.Kube.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	var reporting sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	reporting.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, time.Now().UTC().Format(metav1.RFC3339Micro))
			if _, err := leases.Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil && ctx.Err() == nil {
				t.Errorf("could not renew the Lease of %s: %v", node, err)
			}
		}, 5*time.Second)
	})
	t.Cleanup(func() {
		stop()
		reporting.Wait()
	})
}

// wantGraces checks which pods were deleted, and how many seconds each had to stop.
func (p *pool) wantGraces(t *testing.T, want map[string]int64) {
	t.Helper()
	got := map[string]int64{}
	for name, d := range p.deletions(t) {
		got[name] = -1
		if seconds := d.options.GracePeriodSeconds; seconds != nil {
			got[name] = *seconds
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("deleted, with a grace period of, were %v, want %v", got, want)
	}
}

func TestTimeoutDeletesNothingThatIsBlocked(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.Run(t, p.workload().Pod("bare", localcluster.OnNode(node)))
	hold := p.Hold("a", node)
	hold.Spec.Drain = v1beta1.DrainSpec{TimeoutSeconds: new(int64(1)), OnTimeout: v1beta1.OnTimeoutDelete, UnmanagedPods: v1beta1.PolicyBlock}
	p.Create(t, hold)
	p.WaitForHold(t, hold.Name, "deadline exceeded", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseFailed && len(nm.Status.Blockers) == 1 && nm.Status.Blockers[0].Reason == v1beta1.BlockerUnmanagedPod
	})
	p.staysOn(t, node, "bare")
	p.patch(t, hold.Name, `{"spec":{"drain":{"unmanagedPods":"Evict"}}}`)
	p.WaitForHold(t, hold.Name, "pod deleted once that is allowed", succeeded)
	p.wantGraces(t, map[string]int64{"bare": 30})
}
