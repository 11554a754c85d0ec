// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/conversion"
)

// drainPlanParameters are the query parameters of DrainPlanOptions.
var drainPlanParameters = []string{"hold", "podSelector", "gracePeriodSeconds", "unmanagedPods", "emptyDirPods"}

// generalParameters are the query parameters that any GET may have. Clients add them by themselves.
var generalParameters = []string{"pretty", "timeout", "resourceVersion", "includeObject"}

// Convert_url_Values_To_v1beta1_DrainPlanOptions reads the query parameters of a request. An
// unknown parameter is an error: if it were ignored, the plan would not be the one that the user
// wants. conversion-gen finds the function by its name.
func Convert_url_Values_To_v1beta1_DrainPlanOptions(in *url.Values, out *DrainPlanOptions, s conversion.Scope) error {
	for _, name := range slices.Sorted(maps.Keys(*in)) {
		if !slices.Contains(drainPlanParameters, name) && !slices.Contains(generalParameters, name) {
			return fmt.Errorf("unknown query parameter %q: use %s", name, strings.Join(drainPlanParameters, ", "))
		}
	}
	return autoConvert_url_Values_To_v1beta1_DrainPlanOptions(in, out, s)
}
