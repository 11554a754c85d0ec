// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
)

// tidy takes out of the ledger what nobody needs any more, and enters what it lacks. It says how many attempts have given
// back what they had taken. Trouble is what it is not known of whether somebody needs it: that stays, and holds up no other.
func (a *admitter) tidy(ctx context.Context, spec *v1beta1.MaintenanceLedgerSpec) (returned int, trouble, err error) {
	trouble = errors.Join(a.dropEntries(ctx, spec), a.dropGrants(ctx, spec))
	if err := a.adopt(ctx, spec); err != nil {
		return 0, trouble, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.enterAdopted(spec, a.config.Clock.Now())
	for _, grant := range a.returned {
		places.GiveBack(spec, grant)
	}
	return len(a.returned), trouble, nil
}

// dropEntries takes out the entries of nodes whose NodeProfiles are not in maintenance, nor about to be.
func (a *admitter) dropEntries(ctx context.Context, spec *v1beta1.MaintenanceLedgerSpec) (trouble error) {
	for _, entry := range append([]v1beta1.LedgerProfile(nil), spec.InMaintenance...) {
		name := v1beta1.NodeProfileName(entry.Node, entry.Profile)
		if places.Needs(a.nodeProfile(name), entry) && !a.isStale(name) || a.isPending(name, entry.Sequence, entry.Attempt) {
			continue
		}
		live, err := a.void(ctx, name, entry.Sequence, entry.Attempt)
		switch {
		case err != nil:
			trouble = errors.Join(trouble, err)
		case !places.Needs(live, entry):
			places.Remove(spec, entry.Node)
		}
	}
	return trouble
}

// isStale says whether the NodeProfile is gone although the cache shows it still.
func (a *admitter) isStale(name string) bool {
	known := a.nodeProfile(name)
	return known != nil && known.DeletionTimestamp != nil && known.Status.Hold == nil && a.holdOf(known).Hold == nil
}

// dropGrants takes out the places of pools that were granted and never recorded.
func (a *admitter) dropGrants(ctx context.Context, spec *v1beta1.MaintenanceLedgerSpec) (trouble error) {
	now := a.config.Clock.Now()
	for _, pool := range append([]v1beta1.LedgerPool(nil), spec.Pools...) {
		for _, grant := range append([]v1beta1.LedgerGrant(nil), pool.Grants...) {
			name := v1beta1.NodeProfileName(grant.Node, grant.Profile)
			if places.IsOver(grant, now) || a.isPending(name, grant.Sequence, grant.Attempt) ||
				!places.Unrecorded(a.nodeProfile(name), grant.Sequence, grant.Attempt) {
				continue
			}
			voided, err := a.voided(ctx, name, grant)
			switch {
			case err != nil:
				trouble = errors.Join(trouble, err)
			case voided:
				places.GiveBack(spec, places.Grant{Node: grant.Node, Profile: grant.Profile, Sequence: grant.Sequence, Attempt: grant.Attempt})
			}
		}
	}
	return trouble
}

// voided has the attempt of a place never be used, and says yes, unless it was recorded.
func (a *admitter) voided(ctx context.Context, name string, grant v1beta1.LedgerGrant) (bool, error) {
	live, err := a.get(ctx, name)
	if err != nil || !places.Unrecorded(live, grant.Sequence, grant.Attempt) {
		return false, err
	}
	_, err = a.void(ctx, name, grant.Sequence, grant.Attempt)
	return err == nil, err
}

// void asks our own server for a NodeProfile, and has it never use an attempt that it has not recorded: a write of a
// former leader that is under way then fails.
func (a *admitter) void(ctx context.Context, name string, sequence, attempt int64) (*v1beta1.NodeProfile, error) {
	live, err := a.get(ctx, name)
	if err != nil || !places.Unrecorded(live, sequence, attempt) {
		return live, err
	}
	next := live.DeepCopy()
	machine.Void(&next.Status, attempt)
	written, err := a.config.Maintenance.MaintenanceV1beta1().NodeProfiles().UpdateStatus(ctx, next, metav1.UpdateOptions{})
	if err != nil {
		a.latest.Doubt(name)
		return nil, fmt.Errorf("could not have NodeProfile %s forget a grant: %w", name, err)
	}
	a.latest.Show(written)
	a.queue.Add(name)
	return written, nil
}

// adopt enters those that are in maintenance although the ledger lacks them, such as after somebody has deleted it. The
// cache may be behind, so our own server is asked.
func (a *admitter) adopt(ctx context.Context, spec *v1beta1.MaintenanceLedgerSpec) error {
	for _, name := range a.keys() {
		known := a.nodeProfile(name)
		if !needsPlace(known) || known.DeletionTimestamp != nil || places.Entry(spec, known.Spec.NodeName) != nil {
			continue
		}
		live, err := a.get(ctx, name)
		if err != nil {
			return err
		}
		if live != nil {
			places.Adopt(spec, live, a.config.Clock.Now())
		}
	}
	return nil
}
