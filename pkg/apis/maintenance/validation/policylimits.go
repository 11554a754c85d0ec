// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"math"
	"regexp"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Times in seconds, as limits of others.
const (
	minuteSeconds = 60
	daySeconds    = 24 * 60 * 60
	weekSeconds   = 7 * daySeconds
	monthSeconds  = 30 * daySeconds
	yearSeconds   = 365 * daySeconds
)

const (
	maxTopology  = 4
	maxStarts    = 1000
	maxApprovals = 5
)

// share is a part of the nodes, in percent.
var share = regexp.MustCompile(`^([1-9]?[0-9]|100)%$`)

func validateLimits(limits *v1beta1.PolicyLimits, path *field.Path) field.ErrorList {
	allErrs := validateLimit(limits.MaxConcurrent, path.Child("maxConcurrent"))
	allErrs = append(allErrs, validateLimit(limits.MaxUnavailable, path.Child("maxUnavailable"))...)
	path = path.Child("topology")
	if count := len(limits.Topology); count > maxTopology {
		return append(allErrs, field.TooMany(path, count, maxTopology))
	}
	keys := sets.New[string]()
	for i := range limits.Topology {
		limit := &limits.Topology[i]
		allErrs = append(allErrs, validateTopology(limit, path.Index(i))...)
		if keys.Has(limit.Key) {
			allErrs = append(allErrs, field.Duplicate(path.Index(i).Child("key"), limit.Key))
		}
		keys.Insert(limit.Key)
	}
	return allErrs
}

func validateTopology(limit *v1beta1.TopologyLimit, path *field.Path) field.ErrorList {
	allErrs := metav1validation.ValidateLabelName(limit.Key, path.Child("key"))
	if limit.Key == "" {
		allErrs = field.ErrorList{field.Required(path.Child("key"), "must be a label of nodes, such as topology.kubernetes.io/zone")}
	}
	if limit.MaxConcurrent == nil && limit.MaxDomains == nil {
		allErrs = append(allErrs, field.Required(path, "must have maxConcurrent, maxDomains or both"))
	}
	allErrs = append(allErrs, validateLimit(limit.MaxConcurrent, path.Child("maxConcurrent"))...)
	return append(allErrs, validateOptional(limit.MaxDomains, 1, math.MaxInt32, path.Child("maxDomains"))...)
}

// validateLimit checks a number of nodes, or a share of them.
func validateLimit(limit *intstr.IntOrString, path *field.Path) field.ErrorList {
	const want = `must be a number of nodes, 0 or more, or a share of them, from "0%" to "100%"; write a number without quotes`
	switch {
	case limit == nil, limit.Type == intstr.Int && limit.IntVal >= 0, limit.Type == intstr.String && share.MatchString(limit.StrVal):
		return nil
	case limit.Type == intstr.Int:
		return field.ErrorList{field.Invalid(path, limit.IntVal, want)}
	default:
		return field.ErrorList{field.Invalid(path, quoted(limit.StrVal), want)}
	}
}

func validatePace(pace *v1beta1.PolicyPace, path *field.Path) field.ErrorList {
	if pace == nil {
		return nil
	}
	var allErrs field.ErrorList
	if pace.MaxStarts == nil && pace.PerSeconds != nil {
		allErrs = append(allErrs, field.Required(path.Child("maxStarts"), "must be set with perSeconds"))
	}
	if pace.MaxStarts != nil && pace.PerSeconds == nil {
		allErrs = append(allErrs, field.Required(path.Child("perSeconds"), "must be set with maxStarts"))
	}
	allErrs = append(allErrs, validateOptional(pace.MaxStarts, 1, maxStarts, path.Child("maxStarts"))...)
	allErrs = append(allErrs, validateOptional(pace.PerSeconds, minuteSeconds, weekSeconds, path.Child("perSeconds"))...)
	return append(allErrs, validateRange(pace.SoakSeconds, 0, daySeconds, path.Child("soakSeconds"))...)
}

func validateAutoStop(stop *v1beta1.PolicyAutoStop, path *field.Path) field.ErrorList {
	if stop == nil {
		return nil
	}
	allErrs := validateRange(stop.Failures, 1, math.MaxInt32, path.Child("failures"))
	allErrs = append(allErrs, validateTime(stop.IgnoreBefore, path.Child("ignoreBefore"))...)
	allErrs = append(allErrs, validateOptional(stop.WindowSeconds, minuteSeconds, monthSeconds, path.Child("windowSeconds"))...)
	allErrs = append(allErrs, validateOptional(stop.DrainSeconds, 1, monthSeconds, path.Child("drainSeconds"))...)
	return append(allErrs, validateOptional(stop.HeldSeconds, 1, yearSeconds, path.Child("heldSeconds"))...)
}

func validateApprovals(approvals *v1beta1.PolicyApprovals, path *field.Path) field.ErrorList {
	if approvals == nil {
		return nil
	}
	allErrs := validateRange(approvals.Count, 1, maxApprovals, path.Child("count"))
	return append(allErrs, validateOptional(approvals.ValidSeconds, minuteSeconds, monthSeconds, path.Child("validSeconds"))...)
}

// validateOptional checks a number that need not be set.
func validateOptional[T int32 | int64](value *T, least, most int, path *field.Path) field.ErrorList {
	if value == nil {
		return nil
	}
	return validateRange(*value, least, most, path)
}

func validateRange[T int32 | int64](value T, least, most int, path *field.Path) field.ErrorList {
	switch {
	case int64(value) >= int64(least) && int64(value) <= int64(most):
		return nil
	case most == math.MaxInt32:
		return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be at least %d", least))}
	default:
		return field.ErrorList{field.Invalid(path, value, validation.InclusiveRangeError(least, most))}
	}
}

// quoted is the beginning of a text, for an error: a text can be as long as a request.
func quoted(text string) string { return text[:min(len(text), maxQuotedBytes)] }
