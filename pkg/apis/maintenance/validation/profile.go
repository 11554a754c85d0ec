// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	profileModes  = []v1beta1.ProfileMode{v1beta1.ProfileActive, v1beta1.ProfileDryRun, v1beta1.ProfilePaused}
	detachActions = []v1beta1.DetachAction{v1beta1.DetachFinish, v1beta1.DetachRelease}
)

// aliasForm is that of a value of a label.
var aliasForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)

// ValidateMaintenanceProfile checks a new object. It does not check the status, since the server sets it, nor what
// depends on other objects.
func ValidateMaintenanceProfile(profile *v1beta1.MaintenanceProfile) field.ErrorList {
	// If the object is too large, return only that: errors about its parts could be very long.
	if errs := validateProfileSize(profile, &v1beta1.MaintenanceProfile{}); len(errs) > 0 {
		return errs
	}
	metadataPath := field.NewPath("metadata")
	allErrs := apivalidation.ValidateObjectMeta(&profile.ObjectMeta, false, apivalidation.NameIsDNSLabel, metadataPath)
	if profile.ResourceVersion != "" {
		allErrs = append(allErrs, field.Forbidden(metadataPath.Child("resourceVersion"), "must not be set on a new object"))
	}
	return append(allErrs, validateProfileSpec(profile, field.NewPath("spec"))...)
}

// ValidateMaintenanceProfileUpdate checks a changed object against the stored one. The generic registry checks the
// metadata. It does not check what is stored already and stays as it is.
func ValidateMaintenanceProfileUpdate(newProfile, oldProfile *v1beta1.MaintenanceProfile) field.ErrorList {
	if apiequality.Semantic.DeepEqual(newProfile.Spec, oldProfile.Spec) {
		return nil // to compile it takes time
	}
	if errs := validateProfileSize(newProfile, oldProfile); len(errs) > 0 {
		return errs
	}
	path := field.NewPath("spec")
	return broughtBy(validateProfileSpec(newProfile, path), func() field.ErrorList { return validateProfileSpec(oldProfile, path) })
}

// validateProfileSize measures the spec as clients write it.
func validateProfileSize(newProfile, oldProfile *v1beta1.MaintenanceProfile) field.ErrorList {
	return validateBytes(newProfile.Spec, oldProfile.Spec, v1beta1.MaxProfileBytes, field.NewPath("spec"))
}

func validateProfileSpec(profile *v1beta1.MaintenanceProfile, path *field.Path) field.ErrorList {
	spec := &profile.Spec
	allErrs := validateAlias(profile, path.Child("alias"))
	allErrs = append(allErrs, validateEnum(spec.Mode, profileModes, path.Child("mode"))...)
	allErrs = append(allErrs, validateRange(spec.Priority, -maxPriority, maxPriority, path.Child("priority"))...)
	allErrs = append(allErrs, validateProfileNodes(&spec.Nodes, path.Child("nodes"))...)
	allErrs = append(allErrs, validateEnum(spec.OnDetach, detachActions, path.Child("onDetach"))...)
	allErrs = append(allErrs, validateOptional(spec.NodeGoneSeconds, 0, daySeconds, path.Child("nodeGoneSeconds"))...)
	known := instancesOf(spec)
	allErrs = append(allErrs, validateChecks(spec.Checks, path.Child("checks"))...)
	allErrs = append(allErrs, validateTriggers(spec.Triggers, path.Child("triggers"))...)
	allErrs = append(allErrs, validateNotifiers(spec.Notifiers, path.Child("notifiers"))...)
	return append(allErrs, known.validateStates(&spec.States, path.Child("states"))...)
}

// validateAlias also checks the name of a profile that has no alias: it then is the alias.
func validateAlias(profile *v1beta1.MaintenanceProfile, path *field.Path) field.ErrorList {
	alias := profile.Spec.Alias
	if alias == "" && strings.Contains(profile.Name, v1beta1.ProfileSeparator) {
		return field.ErrorList{field.Required(path, fmt.Sprintf(
			"must be set, since the name has %q, which is between two profiles in the label of a node", v1beta1.ProfileSeparator))}
	}
	if alias == "" {
		return nil
	}
	return validateAliasForm(alias, path)
}

func validateAliasForm(alias string, path *field.Path) field.ErrorList {
	if aliasForm.MatchString(alias) && !strings.Contains(alias, v1beta1.ProfileSeparator) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quoted(alias), fmt.Sprintf(
		`must be 1 to 63 letters, digits, "-", "_" and ".", begin and end with a letter or digit, and not have %q, which is between two profiles in the label of a node`,
		v1beta1.ProfileSeparator))}
}

func validateProfileNodes(nodes *v1beta1.ProfileNodes, path *field.Path) field.ErrorList {
	if nodes.Selector == nil && len(nodes.Names) == 0 && !nodes.ByLabel && !nodes.Unlabelled {
		return field.ErrorList{field.Required(path, "must select nodes: set selector ({} selects all nodes), names, byLabel or unlabelled")}
	}
	allErrs := validateSelector(nodes.Selector, path.Child("selector"))
	if count := len(nodes.Names); count > v1beta1.MaxProfileNames {
		return append(allErrs, field.TooMany(path.Child("names"), count, v1beta1.MaxProfileNames))
	}
	return append(allErrs, validateSet(nodes.Names, path.Child("names"), ValidateNodeName)...)
}

// ValidateMaintenanceProfileStatusUpdate checks the status of an object after a write to it. It does not check what
// is stored already and stays as it is.
func ValidateMaintenanceProfileStatusUpdate(newProfile, oldProfile *v1beta1.MaintenanceProfile) field.ErrorList {
	return broughtBy(validateProfileStatus(&newProfile.Status), func() field.ErrorList { return validateProfileStatus(&oldProfile.Status) })
}

func validateProfileStatus(status *v1beta1.MaintenanceProfileStatus) field.ErrorList {
	path := field.NewPath("status")
	allErrs := apivalidation.ValidateNonnegativeField(status.ObservedGeneration, path.Child("observedGeneration"))
	for _, count := range []struct {
		field string
		value int32
	}{
		{"nodes", status.Counts.Nodes},
		{"operational", status.Counts.Operational},
		{"maintenanceRequired", status.Counts.MaintenanceRequired},
		{"inMaintenance", status.Counts.InMaintenance},
	} {
		allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(int64(count.value), path.Child("counts", count.field))...)
	}
	return append(allErrs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}
