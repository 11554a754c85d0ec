// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

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
	// value is the value of the chart that permits the server itself to do it; empty: it always may.
	value string
	// deletesPods, nodeKeys and finalizers are what the server itself must be permitted besides: to delete pods, and to
	// change these labels and annotations, and these finalizers, of nodes.
	deletesPods          bool
	nodeKeys, finalizers []string
}

// deletes follows the field of a drain that deletes pods.
const deletes = ": Delete"

// ownerNeeds are the permissions to give a profile owners: once they are gone, Kubernetes deletes it, and may do everything.
// So whoever gives it some must be permitted what a delete may need at any time, and not only now.
func ownerNeeds(profile, old *v1beta1.MaintenanceProfile) []profileNeed {
	if !hasNewOwners(profile, old) {
		return nil
	}
	nodes := nodesNeed{namesOf(&profile.Spec.Nodes)}
	return []profileNeed{nodes.of(v1beta1.GroupName, "maintenance", "delete", "metadata.ownerReferences")}
}

func hasNewOwners(profile, old *v1beta1.MaintenanceProfile) bool {
	return len(profile.OwnerReferences) > 0 && (old == nil || !apiequality.Semantic.DeepEqual(profile.OwnerReferences, old.OwnerReferences))
}

// profileNeeds are the permissions that a write of a profile needs: for all of it, since whoever writes it vouches for it
// from then on. Nobody needs one to have a profile do less: to pause it, or to have it only say what it would do. A node that
// it selects no more, and that it is not through with, is finished as it says now: leaving has these nodes.
func profileNeeds(profile, old *v1beta1.MaintenanceProfile, leaving ...string) []profileNeed {
	if old != nil && maintenanceprofile.OnlyDoesLess(profile, old) {
		return nil
	}
	nodes := nodesNeed{namesOf(&profile.Spec.Nodes)}
	if len(nodes.names) > 0 {
		nodes.names = slices.Concat(nodes.names, leaving)
	}
	return slices.Concat(
		[]profileNeed{nodes.of(v1beta1.GroupName, "maintenance", "create", "the profile")},
		nodes.ofStates(&profile.Spec.States), nodes.ofTriggers(profile.Spec.Triggers), ofChecks(profile.Spec.Checks), ofEndpoints(&profile.Spec))
}

// namesOf are the names of the nodes, if nothing else selects some.
func namesOf(nodes *v1beta1.ProfileNodes) []string {
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
func (n nodesNeed) force(drain *v1beta1.DrainSpec, path string) []profileNeed {
	switch {
	case drain.OnTimeout == v1beta1.OnTimeoutDelete:
		need := n.of(v1beta1.GroupName, "maintenance", "force", path+".onTimeout"+deletes)
		need.deletesPods = true
		return []profileNeed{need}
	case drain.GracePeriodSeconds != nil:
		return []profileNeed{n.of(v1beta1.GroupName, "maintenance", "force", path+".gracePeriodSeconds")}
	}
	return nil
}

func (n nodesNeed) ofStates(states *v1beta1.ProfileStates) []profileNeed {
	var needs []profileNeed
	for _, state := range []struct {
		name string
		hold *v1beta1.ProfileHold
	}{
		{"operational", states.Operational.Hold},
		{"maintenanceRequired", states.MaintenanceRequired.Hold},
		{"inMaintenance", states.InMaintenance.Hold},
	} {
		if state.hold != nil {
			needs = append(needs, n.force(&state.hold.Drain, "spec.states."+state.name+".hold.drain")...)
		}
	}
	return needs
}

func (n nodesNeed) ofTriggers(triggers []v1beta1.ProfileTrigger) []profileNeed {
	var needs []profileNeed
	for i := range triggers {
		needs = append(needs, n.ofTrigger(&triggers[i], fmt.Sprintf("spec.triggers[%d]", i))...)
	}
	return needs
}

func (n nodesNeed) ofTrigger(trigger *v1beta1.ProfileTrigger, path string) []profileNeed {
	switch {
	case trigger.Hold != nil && trigger.Hold.Drain != nil:
		return n.force(trigger.Hold.Drain, path+".hold.drain")
	case trigger.PatchNode != nil:
		need := n.of("", "", "patch", path+".patchNode")
		need.nodeKeys = keysOf(trigger.PatchNode)
		need.finalizers = slices.Concat(trigger.PatchNode.AddFinalizers, trigger.PatchNode.RemoveFinalizers)
		return []profileNeed{need}
	case trigger.Job != nil:
		return ofJob(trigger.Job, path+".job")
	case trigger.Reboot != nil && trigger.Reboot.Job != nil:
		return ofJob(trigger.Reboot.Job, path+".reboot.job")
	case trigger.PatchObject != nil:
		patch := trigger.PatchObject
		return onResource(patch.APIVersion, patch.Resource, patch.Namespace, path+".patchObject", "profiles.patchObjects", "get", "patch")
	}
	return nil
}

func ofJob(job *v1beta1.JobTrigger, path string) []profileNeed {
	jobs := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	need := onObjects("create", jobs, job.Namespace, path)
	need.value = "profiles.allowJobs and profiles.jobNamespaces"
	return []profileNeed{need}
}
