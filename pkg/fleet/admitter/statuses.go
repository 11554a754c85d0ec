// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// statusInterval is how long after one write of a policy's status the next one may follow, also if the first failed.
const statusInterval = 3 * time.Second

// statuses writes the statuses of policies, beside the decisions: these do not wait for it.
type statuses struct {
	admitter *Admitter
	recorder record.EventRecorder
	// more has one element when something is to be written.
	more workloop.Bell
	// tried is the time when the status of each policy was written last, or was to be.
	tried map[types.UID]time.Time

	mu sync.Mutex
	// wanted are what the statuses are to say, by the names of the policies.
	wanted map[string]wanted
}

// wanted is what the status of one policy is to say.
type wanted struct {
	policy types.UID
	status v1beta1.MaintenancePolicyStatus
}

func newStatuses(a *Admitter, recorder record.EventRecorder) *statuses {
	return &statuses{admitter: a, recorder: recorder, more: workloop.NewBell(), tried: map[types.UID]time.Time{}}
}

// want notes what the statuses are to say.
func (s *statuses) want(policies []*v1beta1.MaintenancePolicy, outcomes map[string]decision.PolicyOutcome) {
	next := make(map[string]wanted, len(policies))
	for _, policy := range policies {
		if outcome, decided := outcomes[policy.Name]; decided && v1beta1.WhyUnreadable(policy) == "" {
			next[policy.Name] = wanted{policy: policy.UID, status: outcome.Status}
		}
	}
	s.mu.Lock()
	s.wanted = next
	s.mu.Unlock()
	s.more.Ring()
}

// run writes what is wanted until ctx is done.
func (s *statuses) run(ctx context.Context) {
	for ctx.Err() == nil {
		s.more.Await(ctx, s.admitter.config.Clock, s.writeAll(ctx))
	}
}

// writeAll writes all statuses that may be written now, and returns when to look again.
func (s *statuses) writeAll(ctx context.Context) time.Duration {
	s.mu.Lock()
	wanted := s.wanted
	s.mu.Unlock()
	again := lookAgain
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if wait := s.write(ctx, name, wanted[name]); wait > 0 {
			again = min(again, wait)
		}
	}
	return again
}

// write writes the status of one policy if that says something else. It returns when to try again; 0: it need not.
func (s *statuses) write(ctx context.Context, name string, want wanted) (again time.Duration) {
	object, _, _ := s.admitter.policies.GetStore().GetByKey(name)
	policy, found := object.(*v1beta1.MaintenancePolicy)
	if !found || policy.UID != want.policy {
		delete(s.tried, want.policy)
		return 0
	}
	now := s.admitter.config.Clock.Now()
	next := policy.DeepCopy()
	next.Status = withTimes(want.status, policy.Status, now)
	if apiequality.Semantic.DeepEqual(next.Status, policy.Status) {
		return 0
	}
	if since := now.Sub(s.tried[policy.UID]); since >= 0 && since < statusInterval {
		return statusInterval - since
	}
	s.tried[policy.UID] = now
	if err := s.store(ctx, next); err != nil {
		return statusInterval
	}
	s.tell(policy, next)
	return 0
}

func (s *statuses) store(ctx context.Context, policy *v1beta1.MaintenancePolicy) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.admitter.config.Maintenance.MaintenanceV1beta1().MaintenancePolicies().UpdateStatus(ctx, policy, metav1.UpdateOptions{})
	if err != nil && !apierrors.IsConflict(err) && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Could not write the status of a policy", "policy", policy.Name)
	}
	return err
}

// withTimes is the status with the times at which its conditions have changed.
func withTimes(status, before v1beta1.MaintenancePolicyStatus, now time.Time) v1beta1.MaintenancePolicyStatus {
	next := *status.DeepCopy()
	for i := range next.Conditions {
		condition := &next.Conditions[i]
		condition.LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
		if old := apimeta.FindStatusCondition(before.Conditions, condition.Type); old != nil && old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
	}
	return next
}

// tell writes the event of a stop. It goes by the stored status, so that no stop is told of twice.
func (s *statuses) tell(before, after *v1beta1.MaintenancePolicy) {
	stopped := apimeta.FindStatusCondition(after.Status.Conditions, v1beta1.ConditionStopped)
	if stopped == nil || stopped.Status != metav1.ConditionTrue || apimeta.IsStatusConditionTrue(before.Status.Conditions, v1beta1.ConditionStopped) {
		return
	}
	s.recorder.Event(policyReference(before), corev1.EventTypeWarning, eventPolicyStopped, stopped.Message)
}
