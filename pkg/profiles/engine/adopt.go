// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// ledgerAgain is the time when a NodeProfile looks again whether the ledger has what it adopts.
const ledgerAgain = time.Second

// unreadableAgain is the time when it is tried again to adopt what could not be read: somebody may have given a permission.
const unreadableAgain = time.Minute

// Former knows what the controller before this one has left.
type Former interface {
	// Adopt returns what it has left of a profile on a node. Ok is false if there is nothing, or no more. An
	// UnreadableError means that somebody has to repair it.
	Adopt(ctx context.Context, node *corev1.Node, profile *v1beta1.MaintenanceProfile) (adopted sapdata.Adoption, ok bool, err error)
	// Where returns the state in which it has a profile on a node, and since when, at once. Ok is false if that is not known.
	Where(node *corev1.Node, profile *v1beta1.MaintenanceProfile) (state v1beta1.ProfileState, since time.Time, ok bool)
	// Has says whether it has left something of the profile on the node, at once.
	Has(node *corev1.Node, profile *v1beta1.MaintenanceProfile) bool
	// Look says that something may have been adopted: see Engine.Adopted. It must not block.
	Look()
}

// UnreadableError is the reason why what another controller has left cannot be adopted.
type UnreadableError struct {
	// Message says in a sentence what is wrong.
	Message string
}

func (e *UnreadableError) Error() string { return e.Message }

// adopt has a new NodeProfile go on from where the controller before was. The ledger has what it needs
// before. If it cannot be read, the profile does nothing on the node.
func (t *term) adopt(ctx context.Context, v *view) (moved, stop bool, err error) {
	if t.config.Former == nil || v.profile == nil || v.node == nil || !v.acts || !machine.MayAdopt(&v.nodeProfile.Status) {
		return false, false, nil
	}
	adopted, found, err := t.config.Former.Adopt(ctx, v.node, v.profile)
	var unreadable *UnreadableError
	if errors.As(err, &unreadable) {
		v.acts, v.idleReason, v.idleMessage = false, v1beta1.ReasonNotAdopted, text(unreadable.Message)
		v.lookAt(v.now.Add(unreadableAgain))
		return false, false, nil
	}
	if since := v.nodeProfile.Status.Since; adopted.SinceOnly && since != nil && !adopted.Since.Before(since.Time) {
		found = false // that is what the mirrors say of this NodeProfile itself
	}
	if err != nil || !found {
		return false, false, err
	}
	if t.admitter.lacks(v.nodeProfile, &adopted, v.now) {
		v.lookAt(v.now.Add(ledgerAgain))
		return false, true, nil
	}
	machine.Adopt(v.next, adopted, t.enterSteps(ctx, v, adopted.State), v.now)
	addSent(v, adopted.Sent)
	machine.HoldForState(v.next, v.profile)
	if err := t.write(ctx, v); err != nil {
		return false, false, err
	}
	t.admitter.decided(v.name)
	t.adopted.Store(true)
	for _, warning := range adopted.Warnings {
		t.event(v.nodeProfile, corev1.EventTypeWarning, eventAdopted, fmt.Sprintf("profile %s: %s", v.profile.Name, warning))
	}
	return true, false, nil
}

// addSent notes what notifiers have sent before, so that nobody is told the same again. One counts for the state if it was
// sent since that began.
func addSent(v *view, sent map[string]time.Time) {
	for i := range v.profile.Spec.Notifiers {
		notifier := &v.profile.Spec.Notifiers[i]
		at, found := sent[notifier.Name]
		if !found {
			continue
		}
		made := outbox.New(v.next, notifier, "adopted", v1beta1.NotificationTexts{}, at)
		made.State, made.Texts, made.SentTime = v1beta1.NotificationSent, nil, &made.Time
		if at.Before(v.next.Status.Since.Time) {
			made.Sequence--
		}
		v.next.Status.Notifications = outbox.Add(v.next.Status.Notifications, made)
	}
}

// adopting is what the ledger is to have before a NodeProfile is written.
type adopting struct {
	places.Grant
	need  places.Need
	pools []v1beta1.LedgerPool
}

// lacks says whether the ledger lacks what a NodeProfile is about to adopt, and has it entered.
func (a *admitter) lacks(nodeProfile *v1beta1.NodeProfile, adopted *sapdata.Adoption, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	isIn := adopted.State == v1beta1.ProfileInMaintenance || adopted.EnterPending && adopted.Previous == v1beta1.ProfileInMaintenance
	needs := isIn && places.Entry(a.spec, nodeProfile.Spec.NodeName) == nil
	if !places.AddPools(a.spec.DeepCopy(), adopted.Pools, now) && !needs {
		return false
	}
	grant := places.GrantFor(nodeProfile)
	need := places.Need{Maintenance: needs}
	a.adopting[nodeProfile.Name] = adopting{Grant: grant, need: need, pools: adopted.Pools}
	a.pending[nodeProfile.Name] = pending{Grant: grant, need: need, at: now}
	a.kick()
	return true
}

// enterAdopted enters what is about to be adopted into the ledger. The caller holds the lock.
func (a *admitter) enterAdopted(spec *v1beta1.MaintenanceLedgerSpec, now time.Time) {
	for _, adopting := range a.adopting {
		places.AddPools(spec, adopting.pools, now)
		if adopting.need.Any() {
			places.Take(spec, adopting.Grant, adopting.need, now) // it says no if another profile is there already
		}
	}
}

// Adopted says whether everything that the controller before has left on a node was adopted, so that it may be
// overwritten. While this process does not lead, or there are no profiles, it says no.
func (e *Engine) Adopted(name string) bool {
	t := e.leading.Load()
	if t == nil || e.config.Former == nil {
		return false
	}
	node := t.node(name)
	if node == nil {
		return false
	}
	for _, object := range t.profiles.GetStore().List() {
		profile, is := object.(*v1beta1.MaintenanceProfile)
		if !is || !t.selects(profile, node) {
			continue
		}
		nodeProfile := t.nodeProfile(v1beta1.NodeProfileName(node.Name, profile.Name))
		if nodeProfile == nil || nodeProfile.Status.State == "" ||
			machine.MayAdopt(&nodeProfile.Status) && e.config.Former.Has(node, profile) {
			return false
		}
	}
	return true
}

// lookAdopted has it looked whether everything was adopted, if something was since the last time.
func (t *term) lookAdopted() {
	if t.config.Former != nil && t.adopted.Swap(false) {
		t.config.Former.Look()
	}
}
