// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// asThere returns the NodeProfile and the ledger as they would be if what another controller has by now were adopted. So
// while that one runs, people can compare what both would do. Without it, they are as they are.
func (t *term) asThere(v *view, ledger *v1beta1.MaintenanceLedgerSpec) (*v1beta1.NodeProfile, *v1beta1.MaintenanceLedgerSpec) {
	if v.idleReason != v1beta1.ReasonOtherController || t.config.Former == nil || !machine.MayAdopt(&v.nodeProfile.Status) {
		return v.nodeProfile, ledger
	}
	state, since, found := t.config.Former.Where(v.node, v.profile)
	if !found {
		return v.nodeProfile, t.ledgerThere(ledger)
	}
	there := *v.nodeProfile
	there.Status.State = state
	if !since.IsZero() {
		there.Status.Since = &metav1.Time{Time: since}
	}
	return &there, t.ledgerThere(ledger)
}

// ledgerThere adds to a ledger the nodes that the other controller has in maintenance.
func (t *term) ledgerThere(ledger *v1beta1.MaintenanceLedgerSpec) *v1beta1.MaintenanceLedgerSpec {
	with := *ledger
	with.InMaintenance = slices.Clone(ledger.InMaintenance)
	for _, object := range t.nodes.GetStore().List() {
		node, is := object.(*corev1.Node)
		if !is || node.Labels[v1beta1.StateLabel] != sapdata.StateName(v1beta1.ProfileInMaintenance) {
			continue
		}
		with.InMaintenance = append(with.InMaintenance, t.inMaintenanceThere(node)...)
	}
	return &with
}

// inMaintenanceThere are the profiles that the other controller has in maintenance on a node.
func (t *term) inMaintenanceThere(node *corev1.Node) (entries []v1beta1.LedgerProfile) {
	for _, object := range t.profiles.GetStore().List() {
		profile, is := object.(*v1beta1.MaintenanceProfile)
		if !is || !t.selects(profile, node) {
			continue
		}
		if state, since, found := t.config.Former.Where(node, profile); found && state == v1beta1.ProfileInMaintenance {
			entries = append(entries, v1beta1.LedgerProfile{
				Node: node.Name, NodeUID: node.UID, Profile: profile.Name, Since: metav1.NewMicroTime(since),
			})
		}
	}
	return entries
}

// wouldTake says what would be done, of a profile that does nothing. The state is the one that was asked about.
func wouldTake(v *view, state v1beta1.ProfileState, outcome evaluation.Outcome) {
	status := &v.next.Status
	says, isElsewhere := status.WaitingFor, state != status.State
	if outcome.Winner < 0 && !isElsewhere {
		return
	}
	if outcome.Winner >= 0 {
		winner := outcome.Transitions[outcome.Winner]
		says = fmt.Sprintf("the transition %s to %s would be taken", winner.Name, winner.Next)
	}
	if isElsewhere {
		there := fmt.Sprintf("the other controller has it in %s", state)
		if says != "" {
			there += ", and here: "
		}
		says = there + says
	}
	status.WaitingFor = fmt.Sprintf("nothing is done (%s): %s", v.idleReason, says)
}

// thereChanged has those looked at that a change of a node by the controller before may concern: the profiles of the node,
// which may adopt its state, and while that controller runs, all that count nodes in maintenance.
func (t *term) thereChanged(old, node *corev1.Node) {
	if t.config.Former == nil {
		return
	}
	if old.Annotations[sapdata.Annotation] != node.Annotations[sapdata.Annotation] {
		t.wakeNode(node.Name)
	}
	if old.Labels[v1beta1.StateLabel] != node.Labels[v1beta1.StateLabel] && t.config.Other != nil && t.config.Other(node.Name) != "" {
		t.wake(t.keys())
	}
}
