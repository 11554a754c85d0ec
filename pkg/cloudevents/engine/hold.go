// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
)

// tryAgain is the time after which a hold is written again that this server refused.
const tryAgain = time.Minute

// hold sees to it that the hold is as it is wanted, which was stored before. A change of the hold has the event visited.
func (t *term) hold(ctx context.Context, v *view) (moved bool, err error) {
	stored, wanted := v.facts.Hold, v.decision.Hold
	switch {
	case wanted == nil && stored == nil, stored != nil && stored.DeletionTimestamp != nil:
		t.notes.keep(v.name, nil)
		return false, nil
	case wanted != nil && stored != nil && isAsWanted(stored, wantOf(v.event, wanted)):
		return t.accept(v), nil
	}
	if isNewest, err := t.isNewest(ctx, v); !isNewest {
		return false, err // another leader may have decided otherwise
	}
	if wanted == nil {
		return t.giveBack(ctx, v, stored)
	}
	return t.keep(ctx, v, wanted)
}

// accept notes that the hold is as it is wanted. It says whether something else was told.
func (t *term) accept(v *view) (news bool) {
	news = t.notes.refusal(v.name) != "" || t.notes.kept(v.name) != ""
	t.notes.refuse(v.name, "")
	t.notes.keep(v.name, nil)
	return news
}

// giveBack deletes the hold. Why that is refused is told.
func (t *term) giveBack(ctx context.Context, v *view, stored *v1beta1.NodeMaintenance) (moved bool, err error) {
	_, err = t.holds.GiveBack(ctx, serverholds.Key{Node: stored.Spec.NodeName, Requestor: stored.Spec.Requestor}, false)
	if err == nil || isTold(err) {
		t.notes.refuse(v.name, "")
		t.notes.keep(v.name, err)
	}
	if err != nil {
		return false, fmt.Errorf("could not give the node back: %w", err)
	}
	return true, nil
}

// keep creates the hold, or changes it. What the server refuses is told, and tried again.
func (t *term) keep(ctx context.Context, v *view, wanted *decision.Hold) (moved bool, err error) {
	key := serverholds.Key{Node: wanted.Node, Requestor: wanted.Requestor}
	if refused := t.notes.refusedAt(v.name); v.now.Before(refused.Add(tryAgain)) {
		v.lookAt(refused.Add(tryAgain))
		return false, nil
	}
	kept, err := t.holds.Keep(ctx, key, wantOf(v.event, wanted), false)
	switch {
	case err == nil && kept.DeletionTimestamp == nil && !isAsWanted(kept, wantOf(v.event, wanted)):
		t.notes.refuseAt(v.name, errChanged, v.now)
	case err == nil:
		t.accept(v)
		t.tellHold(v)
	case isRefusal(err):
		t.notes.refuseAt(v.name, err.Error(), v.now)
	default:
		if isTold(err) {
			t.notes.refuse(v.name, err.Error())
		}
		return false, fmt.Errorf("could not hold the node: %w", err)
	}
	return true, nil
}

// errChanged is what is told if the hold is stored otherwise than it was written.
const errChanged = "an admission webhook or policy changes what the server writes; have it leave out the requestors of the server"

// isTold says whether people can do something about an error: the server, or a webhook of it, refuses or fails.
func isTold(err error) bool { return isRefusal(err) || apierrors.IsInternalError(err) }

// isRefusal says whether to write the same again soon would fail again.
func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || errors.Is(err, serverholds.ErrTaken)
}

// wantOf makes the hold as it is wanted: all pods leave, whatever people have changed. How long pods may take is left to
// people.
func wantOf(event *v1beta1.ScheduledEvent, wanted *decision.Hold) serverholds.Want {
	return func(hold *v1beta1.NodeMaintenance, _ bool) {
		hold.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(event, v1beta1.SchemeGroupVersion.WithKind("ScheduledEvent"))}
		spec := &hold.Spec
		spec.Reason, spec.Stage, spec.ExpirationSeconds = wanted.Reason, wanted.Stage, nil
		spec.Drain = v1beta1.DrainSpec{
			GracePeriodSeconds: spec.Drain.GracePeriodSeconds,
			TimeoutSeconds:     spec.Drain.TimeoutSeconds, OnTimeout: spec.Drain.OnTimeout,
		}
		spec.NotBefore, spec.StartDeadline = timeOrNil(wanted.NotBefore), timeOrNil(wanted.StartDeadline)
		spec.BypassPolicies = spec.BypassPolicies || wanted.Bypass
	}
}

// isAsWanted says whether nothing of the hold would be changed.
func isAsWanted(stored *v1beta1.NodeMaintenance, want serverholds.Want) bool {
	wanted := stored.DeepCopy()
	want(wanted, false)
	v1beta1.SetObjectDefaults_NodeMaintenance(wanted)
	return apiequality.Semantic.DeepEqual(stored, wanted)
}

func timeOrNil(at time.Time) *metav1.Time {
	if at.IsZero() {
		return nil
	}
	return &metav1.Time{Time: at}
}
