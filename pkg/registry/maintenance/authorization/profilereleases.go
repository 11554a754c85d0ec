// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

// maxReleased is how many nodes a user may give back with permissions for each of them. For more, they need it for all.
const maxReleased = 64

// maxWarnedJobs is how many Jobs a warning names.
const maxWarnedJobs = 5

// UnderWay is what a profile does on nodes, as stored.
type UnderWay struct {
	// Nodes are those that it holds.
	Nodes []string
	// Begun are those on which it is not Operational.
	Begun []string
	// Jobs are those that run, in words, such as shop/reboot-1f on node worker-1.
	Jobs []string
}

// WhatIsUnderWay returns what a profile does on nodes. It fails if that cannot be read.
type WhatIsUnderWay func(ctx context.Context, profile string) (UnderWay, error)

// KnowWhatIsUnderWay has the plugin ask what profiles do on nodes. It is called once, before the first request.
func (p *Plugin) KnowWhatIsUnderWay(underWay WhatIsUnderWay) { p.underWay = underWay }

// releaseNeeds are the permissions to end the maintenance of the nodes that a write has the server give back before they
// are Operational. The profile is nil for a delete, and old for a create.
func (p *Plugin) releaseNeeds(ctx context.Context, profile, old *v1beta1.MaintenanceProfile) ([]profileNeed, error) {
	if p.underWay == nil || old == nil || !mayRelease(profile, old) {
		return nil, nil
	}
	underWay, err := p.underWay(ctx, old.Name)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("could not find out which nodes the profile holds: %w", err))
	}
	held := underWay.Nodes
	if profile == nil || old.DeletionTimestamp != nil {
		warnOfJobs(ctx, underWay.Jobs)
	} else {
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

// leaving are the nodes that a changed profile does not name, and that it is not through with.
func (p *Plugin) leaving(ctx context.Context, profile, old *v1beta1.MaintenanceProfile) ([]string, error) {
	if p.underWay == nil || old == nil || maintenanceprofile.OnlyDoesLess(profile, old) {
		return nil, nil
	}
	underWay, err := p.underWay(ctx, old.Name)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("could not find out on which nodes the profile has begun: %w", err))
	}
	return slices.DeleteFunc(underWay.Begun, func(node string) bool { return slices.Contains(profile.Spec.Nodes.Names, node) }), nil
}

// warnOfJobs warns of Jobs that are stopped, since their nodes are given back.
func warnOfJobs(ctx context.Context, jobs []string) {
	for _, job := range jobs[:min(len(jobs), maxWarnedJobs)] {
		warning.AddWarning(ctx, "", fmt.Sprintf("Job %s is stopped: a profile that is deleted with onDetach: Release or mode: DryRun finishes nothing", job))
	}
	if more := len(jobs) - maxWarnedJobs; more > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("%s stopped, too", english.Plural(more, "other Job is", "other Jobs are")))
	}
}

// mayRelease says whether a write may give nodes back that would stay in maintenance without it.
func mayRelease(profile, old *v1beta1.MaintenanceProfile) bool {
	switch {
	case profile == nil:
		return releases(old)
	case old.DeletionTimestamp != nil:
		return releases(profile) && !releases(old)
	case hasNewOwners(profile, old):
		return true // also on nodes that it selects no more
	case profile.Spec.OnDetach != v1beta1.DetachRelease:
		return false // who leaves is finished
	default:
		return old.Spec.OnDetach != v1beta1.DetachRelease || !apiequality.Semantic.DeepEqual(profile.Spec.Nodes, old.Spec.Nodes) ||
			maintenanceprofile.AliasOf(profile) != maintenanceprofile.AliasOf(old)
	}
}

// releases says whether a profile that is deleted gives its nodes back at once: it says so, or nothing would finish them.
func releases(profile *v1beta1.MaintenanceProfile) bool {
	return profile.Spec.OnDetach == v1beta1.DetachRelease || profile.Spec.Mode == v1beta1.ProfileDryRun
}
