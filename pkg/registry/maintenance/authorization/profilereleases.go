// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

// maxReleased is how many nodes a user may give back with permissions for each of them. For more, they need it for all.
const maxReleased = 64

// HeldNodes returns the nodes that a profile has in maintenance, as stored. It fails if they cannot be read.
type HeldNodes func(ctx context.Context, profile string) ([]string, error)

// KnowHeldNodes has the plugin ask which nodes a profile holds. It is called once, before the first request.
func (p *Plugin) KnowHeldNodes(held HeldNodes) { p.held = held }

// releaseNeeds are the permissions to end the maintenance of the nodes that a write has the server give back before they
// are Operational. The profile is nil for a delete, and old for a create.
func (p *Plugin) releaseNeeds(ctx context.Context, profile, old *maintenance.MaintenanceProfile) ([]profileNeed, error) {
	if p.held == nil || old == nil || !mayRelease(profile, old) {
		return nil, nil
	}
	held, err := p.held(ctx, old.Name)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("could not find out which nodes the profile holds: %w", err))
	}
	if profile != nil && old.DeletionTimestamp == nil {
		kept := namesOf(&profile.Spec.Nodes)
		held = slices.DeleteFunc(held, func(node string) bool { return slices.Contains(kept, node) })
	}
	if len(held) == 0 {
		return nil, nil
	}
	if len(held) > maxReleased {
		held = nil
	}
	return []profileNeed{nodesNeed{held}.of(v1beta1.GroupName, "maintenance", "delete", "giving back what the profile holds")}, nil
}

// mayRelease says whether a write may give nodes back that would stay in maintenance without it.
func mayRelease(profile, old *maintenance.MaintenanceProfile) bool {
	switch {
	case profile == nil:
		return releases(old)
	case old.DeletionTimestamp != nil:
		return releases(profile) && !releases(old)
	case profile.Spec.OnDetach != maintenance.DetachRelease:
		return false // who leaves is finished
	default:
		return old.Spec.OnDetach != maintenance.DetachRelease || !apiequality.Semantic.DeepEqual(profile.Spec.Nodes, old.Spec.Nodes) ||
			maintenanceprofile.AliasOf(profile) != maintenanceprofile.AliasOf(old)
	}
}

// releases says whether a profile that is deleted gives its nodes back at once: it says so, or nothing would finish them.
func releases(profile *maintenance.MaintenanceProfile) bool {
	return profile.Spec.OnDetach == maintenance.DetachRelease || profile.Spec.Mode == maintenance.ProfileDryRun
}
