// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package profiledecision serves nodeprofiles/decision, through which people approve transitions of a profile on a node,
// veto them, push them past their checks, and abort them.
package profiledecision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodeprofile"
)

// request is what somebody decides of a NodeProfile.
type request struct {
	// by is the user who decides, after impersonation.
	by string
	// node is the one on which they may.
	node     string
	decision *v1beta1.NodeProfileDecision
	now      time.Time
}

// decide returns the decisions of the NodeProfile with the new one. It replaces the one that the user has made on the same
// transition before.
func (r request) decide(nodeProfile *v1beta1.NodeProfile) ([]v1beta1.RecordedDecision, error) {
	if err := cmp.Or(r.means(nodeProfile), r.possible(nodeProfile)); err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(nodeProfile.Status.Decisions), func(d v1beta1.RecordedDecision) bool {
		return d.By == r.by && d.Transition == r.decision.Transition
	})
	if len(others) >= v1beta1.MaxDecisions {
		others = r.withoutOldest(others, nodeProfile.Status.Sequence)
	}
	if len(others) >= v1beta1.MaxDecisions {
		return nil, apierrors.NewForbidden(v1beta1.Resource(nodeprofile.Plural), nodeProfile.Name, fmt.Errorf(
			"it has %d decisions that count, and can have no more: somebody must withdraw one first", len(others)))
	}
	return append(others, r.recorded()), nil
}

func (r request) recorded() v1beta1.RecordedDecision {
	recorded := v1beta1.RecordedDecision{
		Decision: r.decision.Decision, Transition: r.decision.Transition, Sequence: r.decision.Sequence,
		By: r.by, Time: metav1.NewTime(r.now), Reason: r.decision.Reason,
	}
	if seconds := r.decision.ExpirationSeconds; seconds != nil {
		recorded.ExpirationTime = &metav1.Time{Time: r.now.Add(time.Duration(*seconds) * time.Second)}
	}
	return recorded
}

// means fails if the user has decided on another NodeProfile than the stored one, or on what was before.
func (r request) means(nodeProfile *v1beta1.NodeProfile) error {
	status := &nodeProfile.Status
	switch {
	case nodeProfile.Spec.NodeName != r.node:
		return conflict(nodeProfile, "it is on another node than when the request came: look at it before you decide")
	case r.decision.UID != "" && r.decision.UID != nodeProfile.UID:
		return conflict(nodeProfile, "uid is %s, but the NodeProfile of this name has the UID %s: look at it before you decide", r.decision.UID, nodeProfile.UID)
	case r.decision.Sequence != status.Sequence:
		return conflict(nodeProfile, "sequence is %d, but the NodeProfile is at sequence %d, in the state %s: look at it before you decide",
			r.decision.Sequence, status.Sequence, status.State)
	case nodeProfile.DeletionTimestamp != nil:
		return conflict(nodeProfile, "it is being deleted, so there is nothing to decide")
	}
	return nil
}

// possible fails if there is nothing to push, to abort or to decide on.
func (r request) possible(nodeProfile *v1beta1.NodeProfile) error {
	current := nodeProfile.Status.Transition
	if current != nil && current.AbortedTime != nil {
		current = nil // it ends
	}
	switch named := r.decision.Transition; {
	case r.decision.Decision == v1beta1.ProfileAbort && current == nil:
		return conflict(nodeProfile, "no transition is being done, so there is nothing to abort")
	case r.decision.Decision == v1beta1.ProfileAbort && named != "" && named != current.Name:
		return conflict(nodeProfile, "transition %q is being done, and not %q", current.Name, named)
	case r.decision.Decision == v1beta1.ProfileAbort:
		return nil
	case r.decision.Decision == v1beta1.ProfilePush && current != nil:
		return conflict(nodeProfile, "transition %q is being done already: wait for its end, or abort it first", current.Name)
	}
	return r.leadsOut(nodeProfile)
}

// leadsOut fails if the transition that the user names is none of the state.
func (r request) leadsOut(nodeProfile *v1beta1.NodeProfile) error {
	status, named := &nodeProfile.Status, r.decision.Transition
	var names []string
	for i := range status.Transitions {
		names = append(names, status.Transitions[i].Name)
	}
	switch {
	case named == "" || slices.Contains(names, named):
		return nil
	case len(names) == 0:
		return conflict(nodeProfile, "transition %q is not known yet: status.transitions has none out of the state %s", named, status.State)
	default:
		return conflict(nodeProfile, "no transition %q leads out of the state %s: there are %s", named, status.State, strings.Join(names, ", "))
	}
}

// withoutOldest makes room by the oldest decision that does not count any more.
func (r request) withoutOldest(decisions []v1beta1.RecordedDecision, sequence int64) []v1beta1.RecordedDecision {
	void := slices.IndexFunc(decisions, func(d v1beta1.RecordedDecision) bool {
		return d.Sequence != sequence || d.UsedBy != "" || (d.ExpirationTime != nil && !d.ExpirationTime.After(r.now))
	})
	if void < 0 {
		return decisions
	}
	return slices.Delete(decisions, void, void+1)
}
