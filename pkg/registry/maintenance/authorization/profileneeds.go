// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

// profileNeed is a permission that the author of a profile needs.
type profileNeed struct {
	question authorizer.AttributesRecord
	// names are the objects for which it is enough; none: it must be for all.
	names []string
	// why is the field that asks for it.
	why string
}

// profileNeeds are the permissions that a write of a profile needs: for all of it, if it comes to other nodes or does more
// than before, and else for the parts that are new. Nobody needs one to have a profile do less: to pause it, or to have it
// only say what it would do.
func profileNeeds(profile, old *maintenance.MaintenanceProfile) []profileNeed {
	if old != nil && onlyDoesLess(profile, old) {
		return nil
	}
	before := maintenance.MaintenanceProfileSpec{}
	if old != nil && !reachesFurther(profile, old) {
		before = old.Spec
	}
	nodes := nodesNeed{namesOf(&profile.Spec.Nodes)}
	return slices.Concat(
		[]profileNeed{nodes.of(v1beta1.GroupName, "maintenance", "create", "the profile")},
		nodes.ofStates(&profile.Spec.States, &before.States), nodes.ofTriggers(profile.Spec.Triggers, before.Triggers),
		ofChecks(profile.Spec.Checks, before.Checks), ofEndpoints(&profile.Spec, &before))
}

// activity orders the modes by how much they do.
var activity = map[maintenance.ProfileMode]int{maintenance.ProfilePaused: 0, maintenance.ProfileDryRun: 1, maintenance.ProfileActive: 2}

// onlyDoesLess says whether nothing of the spec changes but the mode, to one that does less.
func onlyDoesLess(profile, old *maintenance.MaintenanceProfile) bool {
	changed := profile.Spec
	changed.Mode = old.Spec.Mode
	return activity[profile.Spec.Mode] <= activity[old.Spec.Mode] && apiequality.Semantic.DeepEqual(changed, old.Spec)
}

// reachesFurther says whether parts that stay as they are may now do something elsewhere, or more often.
func reachesFurther(profile, old *maintenance.MaintenanceProfile) bool {
	return activity[profile.Spec.Mode] > activity[old.Spec.Mode] ||
		maintenanceprofile.AliasOf(profile) != maintenanceprofile.AliasOf(old) ||
		!apiequality.Semantic.DeepEqual(profile.Spec.Nodes, old.Spec.Nodes) ||
		!sameItems(profile.Spec.Checks, old.Spec.Checks) || // they are what triggers and drains wait for
		!apiequality.Semantic.DeepEqual(profile.Spec.States, old.Spec.States)
}

// namesOf are the names of the nodes, if nothing else selects some.
func namesOf(nodes *maintenance.ProfileNodes) []string {
	if nodes.Selector != nil || nodes.ByLabel || nodes.Unlabelled {
		return nil
	}
	return nodes.Names
}

// nodesNeed makes the permissions for the nodes of a profile.
type nodesNeed struct {
	// names are theirs; none: any node may be one of them.
	names []string
}

func (n nodesNeed) of(group, subresource, verb, why string) profileNeed {
	return profileNeed{
		question: authorizer.AttributesRecord{
			Verb: verb, APIGroup: group, APIVersion: versionOf(group), Resource: "nodes", Subresource: subresource,
		},
		names: n.names, why: why,
	}
}

// versionOf is the version in which this server reads the groups that it has resources of nodes in.
func versionOf(group string) string {
	if group == v1beta1.GroupName {
		return v1beta1.SchemeGroupVersion.Version
	}
	return "v1"
}

// force is the permission for a drain that is harder on pods than they ask for.
func (n nodesNeed) force(drain *maintenance.DrainSpec, path string) []profileNeed {
	switch {
	case drain.OnTimeout == maintenance.OnTimeoutDelete:
		return []profileNeed{n.of(v1beta1.GroupName, "maintenance", "force", path+".onTimeout: Delete")}
	case drain.GracePeriodSeconds != nil:
		return []profileNeed{n.of(v1beta1.GroupName, "maintenance", "force", path+".gracePeriodSeconds")}
	}
	return nil
}

func (n nodesNeed) ofStates(states, before *maintenance.ProfileStates) []profileNeed {
	var needs []profileNeed
	for _, state := range []struct {
		name        string
		hold, known *maintenance.ProfileHold
	}{
		{"operational", states.Operational.Hold, before.Operational.Hold},
		{"maintenanceRequired", states.MaintenanceRequired.Hold, before.MaintenanceRequired.Hold},
		{"inMaintenance", states.InMaintenance.Hold, before.InMaintenance.Hold},
	} {
		if state.hold != nil && !apiequality.Semantic.DeepEqual(state.hold, state.known) {
			needs = append(needs, n.force(&state.hold.Drain, "spec.states."+state.name+".hold.drain")...)
		}
	}
	return needs
}

func (n nodesNeed) ofTriggers(triggers, before []maintenance.ProfileTrigger) []profileNeed {
	var needs []profileNeed
	for i := range triggers {
		if !contains(before, &triggers[i]) {
			needs = append(needs, n.ofTrigger(&triggers[i], fmt.Sprintf("spec.triggers[%d]", i))...)
		}
	}
	return needs
}

func (n nodesNeed) ofTrigger(trigger *maintenance.ProfileTrigger, path string) []profileNeed {
	switch {
	case trigger.Hold != nil && trigger.Hold.Drain != nil:
		return n.force(trigger.Hold.Drain, path+".hold.drain")
	case trigger.PatchNode != nil:
		return []profileNeed{n.of("", "", "patch", path+".patchNode")}
	case trigger.Job != nil:
		jobs := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
		return []profileNeed{onObjects("create", jobs, trigger.Job.Namespace, path+".job")}
	case trigger.PatchObject != nil:
		patch := trigger.PatchObject
		return onResource(patch.APIVersion, patch.Resource, patch.Namespace, path+".patchObject", "get", "patch")
	}
	return nil
}
