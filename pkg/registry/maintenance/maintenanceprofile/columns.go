// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// table is what kubectl prints for MaintenanceProfiles.
var table = resource.Table[*v1beta1.MaintenanceProfile]{
	resource.NewColumn("Name", "name", "Name of the MaintenanceProfile", 0, func(p *v1beta1.MaintenanceProfile) any { return p.Name }),
	resource.NewColumn("Mode", "", "What the profile does: Active, DryRun or Paused; or why it starts nothing, such as OtherController or StoppedAfterCrash", 0, modeCell),
	resource.NewColumn("Nodes", "", "How many nodes the profile is on", 0, count(func(c v1beta1.ProfileCounts) int32 { return c.Nodes })),
	resource.NewColumn("Operational", "", "On how many of them it is Operational", 0, count(func(c v1beta1.ProfileCounts) int32 { return c.Operational })),
	resource.NewColumn("Required", "", "On how many of them it is MaintenanceRequired", 0, count(func(c v1beta1.ProfileCounts) int32 { return c.MaintenanceRequired })),
	resource.NewColumn("In Maintenance", "", "On how many of them it is InMaintenance", 0, count(func(c v1beta1.ProfileCounts) int32 { return c.InMaintenance })),
	resource.NewAgeColumn[*v1beta1.MaintenanceProfile]("Time since the MaintenanceProfile was created", 0),
	resource.NewColumn("Alias", "", "What labels of nodes call the profile", resource.Wide, func(p *v1beta1.MaintenanceProfile) any { return AliasOf(p) }),
	resource.NewColumn("Priority", "", "Whose nodes go first: those of the profile with the higher one", resource.Wide, func(p *v1beta1.MaintenanceProfile) any { return fmt.Sprint(p.Spec.Priority) }),
	resource.NewColumn("Selects", "", "Which nodes the profile is for", resource.Wide, selectsCell),
}

// modeCell is the mode, unless the profile does not do what its mode says.
func modeCell(profile *v1beta1.MaintenanceProfile) any {
	acting := meta.FindStatusCondition(profile.Status.Conditions, v1beta1.ConditionActing)
	if acting == nil || acting.Status != metav1.ConditionFalse || acting.Reason == v1beta1.ReasonDryRun || acting.Reason == v1beta1.ReasonPaused {
		return string(profile.Spec.Mode)
	}
	return acting.Reason
}

// count shows nothing of a status that has not been written yet: zeros would look like facts.
func count(of func(v1beta1.ProfileCounts) int32) func(*v1beta1.MaintenanceProfile) any {
	return func(profile *v1beta1.MaintenanceProfile) any {
		if profile.Status.ObservedGeneration == 0 {
			return resource.Unknown
		}
		return fmt.Sprint(of(profile.Status.Counts))
	}
}

func selectsCell(profile *v1beta1.MaintenanceProfile) any {
	nodes := &profile.Spec.Nodes
	var parts []string
	if nodes.Selector != nil {
		parts = append(parts, "selector "+metav1.FormatLabelSelector(nodes.Selector))
	}
	if named := len(nodes.Names); named > 0 {
		parts = append(parts, fmt.Sprintf("%d by name", named))
	}
	if nodes.ByLabel {
		parts = append(parts, "by label")
	}
	if nodes.Unlabelled {
		parts = append(parts, "unlabelled")
	}
	return strings.Join(parts, ", ")
}
