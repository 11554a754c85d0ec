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
	"k8s.io/apimachinery/pkg/runtime"
)

// drainPlanParameters are the query parameters of DrainPlanOptions.
var drainPlanParameters = []string{"hold", "podSelector", "gracePeriodSeconds", "unmanagedPods", "emptyDirPods"}

// generalParameters are the query parameters that any GET may have. Clients add them by themselves.
var generalParameters = []string{"pretty", "timeout", "resourceVersion", "includeObject"}

// addConversions registers how query parameters become DrainPlanOptions.
func addConversions(scheme *runtime.Scheme) error {
	return scheme.AddConversionFunc((*url.Values)(nil), (*DrainPlanOptions)(nil), func(in, out any, scope conversion.Scope) error {
		return readDrainPlanOptions(*in.(*url.Values), out.(*DrainPlanOptions), scope)
	})
}

// readDrainPlanOptions reads the query parameters of a request. An unknown parameter is an error: if it were ignored, the plan
// would not be the one that the user wants.
func readDrainPlanOptions(values url.Values, out *DrainPlanOptions, scope conversion.Scope) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(drainPlanParameters, name) && !slices.Contains(generalParameters, name) {
			return fmt.Errorf("unknown query parameter %q: use %s", name, strings.Join(drainPlanParameters, ", "))
		}
	}
	*out = DrainPlanOptions{
		Hold: values.Get("hold"), PodSelector: values.Get("podSelector"),
		UnmanagedPods: values.Get("unmanagedPods"), EmptyDirPods: values.Get("emptyDirPods"),
	}
	seconds := values["gracePeriodSeconds"]
	return runtime.Convert_Slice_string_To_Pointer_int64(&seconds, &out.GracePeriodSeconds, scope)
}
