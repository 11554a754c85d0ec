// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"math"
	"regexp"
	"strings"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	maxPoolBytes    = 253
	maxPoolPlaces   = 100
	exampleLabelKey = "such as topology.kubernetes.io/zone"
)

var (
	versionScopes = []v1beta1.VersionScope{v1beta1.VersionScopeCluster, v1beta1.VersionScopeProfile}
	versionParses = []v1beta1.VersionParse{v1beta1.VersionStrict, v1beta1.VersionTolerant}
	poolForm      = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)
)

func validateChecks(checks []v1beta1.ProfileCheck, path *field.Path) field.ErrorList {
	names := instanceNames{}
	return validateEach(checks, v1beta1.MaxProfileChecks, path, func(check *v1beta1.ProfileCheck, path *field.Path) field.ErrorList {
		allErrs := names.validate(check.Name, "what transitions call the check", path.Child("name"))
		allErrs = append(allErrs, validateCheckName(check.Name, path.Child("name"))...)
		return append(allErrs, validateUnion(membersOfCheck(check), path)...)
	})
}

func membersOfCheck(check *v1beta1.ProfileCheck) []member {
	return []member{
		memberOf("nodeAnnotation", check.NodeAnnotation, validateAnnotationCheck),
		memberOf("nodeLabel", check.NodeLabel, validateLabelCheck),
		memberOf("anyNode", check.AnyNode, validateLabelCheck),
		memberOf("nodeCondition", check.NodeCondition, validateConditionCheck),
		memberOf("node", check.Node, validateNodeCheck),
		memberOf("object", check.Object, validateObjectCheck),
		memberOf("nodeCount", check.NodeCount, validateNodeCount),
		memberOf("clusterVersion", check.ClusterVersion, validateClusterVersion),
		memberOf("podAffinity", check.PodAffinity, validatePodAffinity),
		memberOf("maxInMaintenance", check.MaxInMaintenance, validateMaxInMaintenance),
		memberOf("stagger", check.Stagger, validateStagger),
		memberOf("timeWindow", check.TimeWindow, validateTimeWindow),
		memberOf("wait", check.Wait, validateWait),
		memberOf("prometheus", check.Prometheus, validatePrometheusCheck),
		memberOf("http", check.HTTP, validateHTTPCheck),
		memberOf("approval", check.Approval, validateApprovalCheck),
	}
}

func validateAnnotationCheck(check *v1beta1.KeyValueCheck, path *field.Path) field.ErrorList {
	return validateAnnotationKey(check.Key, path.Child("key"))
}

// validateAnnotationKey checks a key as kube-apiserver does, which ignores capitals.
func validateAnnotationKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "must be the key of an annotation, such as example.com/reboot-needed")}
	}
	var allErrs field.ErrorList
	for _, problem := range validation.IsQualifiedName(strings.ToLower(key)) {
		allErrs = append(allErrs, field.Invalid(path, quoted(key), problem))
	}
	return allErrs
}

func validateLabelCheck(check *v1beta1.KeyValueCheck, path *field.Path) field.ErrorList {
	allErrs := validateLabelKey(check.Key, path.Child("key"))
	if check.Value == nil {
		return allErrs
	}
	for _, problem := range validation.IsValidLabelValue(*check.Value) { // no node can have such a label
		allErrs = append(allErrs, field.Invalid(path.Child("value"), quoted(*check.Value), problem))
	}
	return allErrs
}

func validateLabelKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "must be a label of nodes, "+exampleLabelKey)}
	}
	return metav1validation.ValidateLabelName(key, path)
}

func validateConditionCheck(check *v1beta1.NodeConditionCheck, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if check.Type == "" {
		allErrs = append(allErrs, field.Required(path.Child("type"), "must be a condition of nodes, such as Ready"))
	} else {
		allErrs = append(allErrs, metav1validation.ValidateLabelName(check.Type, path.Child("type"))...)
	}
	if check.Status == "" {
		return append(allErrs, field.Required(path.Child("status"), "must be True, False or Unknown"))
	}
	return append(allErrs, validateEnum(check.Status, conditionStatuses, path.Child("status"))...)
}

func validateNodeCount(check *v1beta1.NodeCountCheck, path *field.Path) field.ErrorList {
	return validateRange(check.Min, 1, math.MaxInt32, path.Child("min"))
}

func validateClusterVersion(check *v1beta1.ClusterVersionCheck, path *field.Path) field.ErrorList {
	allErrs := validateLabelKey(check.LabelKey, path.Child("labelKey"))
	allErrs = append(allErrs, validateOptionalEnum(check.Scope, versionScopes, path.Child("scope"))...)
	return append(allErrs, validateOptionalEnum(check.Parse, versionParses, path.Child("parse"))...)
}

func validatePodAffinity(check *v1beta1.PodAffinityCheck, path *field.Path) field.ErrorList {
	return validateRange(check.MinOperational, 0, math.MaxInt32, path.Child("minOperational"))
}

func validateMaxInMaintenance(check *v1beta1.MaxInMaintenanceCheck, path *field.Path) field.ErrorList {
	allErrs := validateRange(check.Max, 1, math.MaxInt32, path.Child("max"))
	if check.Profile != "" {
		allErrs = append(allErrs, validateAliasForm(check.Profile, path.Child("profile"))...)
	}
	if count := len(check.GroupBy); count > v1beta1.MaxGroupBy {
		allErrs = append(allErrs, field.TooMany(path.Child("groupBy"), count, v1beta1.MaxGroupBy))
	} else {
		allErrs = append(allErrs, validateSet(check.GroupBy, path.Child("groupBy"), validateLabelKey)...)
	}
	return append(allErrs, validateOptional(check.SkipAfterSeconds, 1, yearSeconds, path.Child("skipAfterSeconds"))...)
}

func validateStagger(check *v1beta1.StaggerCheck, path *field.Path) field.ErrorList {
	allErrs := validatePool(check.Pool, path.Child("pool"))
	allErrs = append(allErrs, validateRange(check.Seconds, 1, yearSeconds, path.Child("seconds"))...)
	return append(allErrs, validateOptional(check.Parallel, 1, maxPoolPlaces, path.Child("parallel"))...)
}

func validatePool(pool string, path *field.Path) field.ErrorList {
	switch {
	case pool == "":
		return field.ErrorList{field.Required(path, "must name the pool; checks of all profiles that name the same pool share it")}
	case len(pool) > maxPoolBytes:
		return field.ErrorList{field.TooLong(path, "", maxPoolBytes)}
	case !poolForm.MatchString(pool):
		return field.ErrorList{field.Invalid(path, quoted(pool), `must have only letters, digits, "-", ".", "_" and "/"`)}
	}
	return nil
}

func validateApprovalCheck(check *v1beta1.ApprovalCheck, path *field.Path) field.ErrorList {
	return validateOptional(check.Approvers, 1, maxApprovals, path.Child("approvers"))
}
