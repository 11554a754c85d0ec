// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net/url"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// minInterval and daySeconds are the bounds of how long an answer is used.
const minInterval = 5

func validatePrometheusCheck(check *v1beta1.PrometheusCheck, path *field.Path) field.ErrorList {
	allErrs := validateEndpointName(check.Endpoint, "prometheus", path.Child("endpoint"))
	switch {
	case strings.TrimSpace(check.Query) == "":
		allErrs = append(allErrs, field.Required(path.Child("query"), `must be a query of PromQL, such as max(up{job="db"})`))
	case len(check.Query) > v1beta1.MaxExpressionBytes:
		allErrs = append(allErrs, field.TooLong(path.Child("query"), "", v1beta1.MaxExpressionBytes))
	}
	allErrs = append(allErrs, validateExpression(check.Expression, prometheusExpression, path.Child("expression"))...)
	return append(allErrs, validateOptional(check.IntervalSeconds, minInterval, daySeconds, path.Child("intervalSeconds"))...)
}

func validateHTTPCheck(check *v1beta1.HTTPCheck, path *field.Path) field.ErrorList {
	allErrs := validateEndpointName(check.Endpoint, "http or keystone", path.Child("endpoint"))
	allErrs = append(allErrs, validateURLPath(check.Path, path.Child("path"))...)
	allErrs = append(allErrs, validateExpression(check.Expression, httpExpression, path.Child("expression"))...)
	return append(allErrs, validateOptional(check.IntervalSeconds, minInterval, daySeconds, path.Child("intervalSeconds"))...)
}

// validateEndpointName checks the name of a MaintenanceEndpoint with a field, or one of several. Whether there is one
// is checked elsewhere.
func validateEndpointName(name, with string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "must be the name of a MaintenanceEndpoint with "+with)}
	}
	return validateName(name, apivalidation.NameIsDNSSubdomain, path)
}

// validateURLPath checks what is added to the URL of an endpoint. It must not lead to another server, nor out of the
// path that the endpoint names.
func validateURLPath(text string, path *field.Path) field.ErrorList {
	if text == "" {
		return nil
	}
	if len(text) > v1beta1.MaxPathBytes {
		return field.ErrorList{field.TooLong(path, "", v1beta1.MaxPathBytes)}
	}
	parsed, err := url.Parse(strings.ReplaceAll(text, "$(nodeName)", "node"))
	switch {
	case !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//"):
		return field.ErrorList{field.Invalid(path, quoted(text), `must begin with one "/", such as /ready?node=$(nodeName)`)}
	case err != nil || strings.ContainsAny(text, " \\"):
		return field.ErrorList{field.Invalid(path, quoted(text), "must be the path of a URL: write other characters as %XX")}
	case parsed.Fragment != "":
		return field.ErrorList{field.Invalid(path, quoted(text), `must not have "#": no server gets what comes after it`)}
	case slices.Contains(strings.Split(parsed.Path, "/"), ".."):
		return field.ErrorList{field.Invalid(path, quoted(text), `must not have "..", which leads out of the path of the endpoint`)}
	}
	return nil
}
