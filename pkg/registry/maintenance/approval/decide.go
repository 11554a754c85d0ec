// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package approval serves nodemaintenances/approval, through which people approve maintenance that waits for them, or
// deny it.
package approval

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// maxDecisions is how many decisions a hold may have. They are part of its status, which the store limits.
const maxDecisions = 64

// request is what somebody decides of a hold, with what the answer depends on.
type request struct {
	// by is the user who decides, after impersonation.
	by string
	// approval is what they have sent. Its policy is set.
	approval *v1beta1.MaintenanceApproval
	// allowSelf says that the policy counts the approval of the requestor.
	allowSelf bool
	node      *corev1.Node
	now       time.Time
}

// decide returns the decisions of the hold with the new one. It replaces the one that the user has made for the
// policy before.
func (r request) decide(hold *v1beta1.NodeMaintenance) ([]v1beta1.MaintenanceDecision, error) {
	if err := cmp.Or(r.means(hold), undecided(hold), r.another(hold)); err != nil {
		return nil, err
	}
	mine := func(decision v1beta1.MaintenanceDecision) bool {
		return decision.By == r.by && decision.Policy == r.approval.Policy
	}
	others := slices.DeleteFunc(decisionsOf(hold), mine)
	if len(others) >= maxDecisions {
		others = withoutOldestVoid(others, hold.Generation)
	}
	if len(others) >= maxDecisions {
		return nil, forbidden(hold, "it has %d decisions, and can have no more: somebody must withdraw one first", len(others))
	}
	return append(others, r.decision(hold)), nil
}

func (r request) decision(hold *v1beta1.NodeMaintenance) v1beta1.MaintenanceDecision {
	return v1beta1.MaintenanceDecision{
		Policy: r.approval.Policy, Decision: r.approval.Decision, Reason: r.approval.Reason,
		By: r.by, Time: metav1.NewTime(r.now), Generation: hold.Generation, NodeUID: r.node.UID,
	}
}

// means fails if the user has decided on another hold or on another spec than the stored ones.
func (r request) means(hold *v1beta1.NodeMaintenance) error {
	if uid := r.approval.UID; uid != "" && uid != hold.UID {
		return conflict(hold, "uid is %s, but the NodeMaintenance of this name has the UID %s: look at it before you decide", uid, hold.UID)
	}
	if generation := r.approval.Generation; generation != 0 && generation != hold.Generation {
		return conflict(hold, "generation is %d, but the NodeMaintenance is at generation %d: its spec has changed, look at it before you decide",
			generation, hold.Generation)
	}
	return nil
}

// undecided fails if nothing is left to decide.
func undecided(hold *v1beta1.NodeMaintenance) error {
	switch {
	case hold.DeletionTimestamp != nil:
		return conflict(hold, "it is being deleted, so there is nothing to decide")
	case hold.Spec.Stage == v1beta1.StageIdle:
		return conflict(hold, "its stage is Idle, so it asks for nothing; decide once spec.stage is another, since a change of the spec makes approvals void")
	case started(hold):
		return conflict(hold, "it was admitted at %s, so there is nothing to decide; to end it, delete it", since(hold))
	default:
		return nil
	}
}

// started says whether the hold was admitted to the stage that it asks for.
func started(hold *v1beta1.NodeMaintenance) bool {
	admission := hold.Status.Admission
	return admission != nil && admission.AdmittedTime != nil && admission.Stage == hold.Spec.Stage
}

// another fails if users approve what they have asked for themselves.
func (r request) another(hold *v1beta1.NodeMaintenance) error {
	if r.approval.Decision != v1beta1.DecisionApproved || r.allowSelf || r.by != hold.Spec.Requestor {
		return nil
	}
	return forbidden(hold, "user %q has created it, and policy %q asks for the approval of somebody else", r.by, r.approval.Policy)
}

// since is the time when the hold was admitted; it was.
func since(hold *v1beta1.NodeMaintenance) string {
	return hold.Status.Admission.AdmittedTime.UTC().Format(time.RFC3339)
}

// decisionsBy are the decisions of the user.
func decisionsBy(hold *v1beta1.NodeMaintenance, by string) []v1beta1.MaintenanceDecision {
	return slices.DeleteFunc(decisionsOf(hold), func(decision v1beta1.MaintenanceDecision) bool { return decision.By != by })
}

// decisionsOf is a copy, in the order in which they were made.
func decisionsOf(hold *v1beta1.NodeMaintenance) []v1beta1.MaintenanceDecision {
	if hold.Status.Admission == nil {
		return nil
	}
	return slices.Clone(hold.Status.Admission.Approvals)
}

// withoutOldestVoid makes room by the oldest approval of another spec.
func withoutOldestVoid(decisions []v1beta1.MaintenanceDecision, generation int64) []v1beta1.MaintenanceDecision {
	void := slices.IndexFunc(decisions, func(decision v1beta1.MaintenanceDecision) bool {
		return decision.Decision == v1beta1.DecisionApproved && decision.Generation != generation
	})
	if void < 0 {
		return decisions
	}
	return slices.Delete(decisions, void, void+1)
}

func conflict(hold *v1beta1.NodeMaintenance, format string, args ...any) error {
	return apierrors.NewConflict(v1beta1.Resource(nodemaintenance.Plural), hold.Name, fmt.Errorf(format, args...))
}

func forbidden(hold *v1beta1.NodeMaintenance, format string, args ...any) error {
	return apierrors.NewForbidden(v1beta1.Resource(nodemaintenance.Plural), hold.Name, fmt.Errorf(format, args...))
}
