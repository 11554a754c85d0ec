// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// unknownSetting says which setting of a drain has a value that this version does not know: a newer version of the
// server has stored it, and what it spares must not be evicted by this one. It is nil when all are known.
func unknownSetting(drain *v1beta1.DrainSpec) error {
	err := cmp.Or(
		unknownValue("onTimeout", drain.OnTimeout, v1beta1.OnTimeoutReport, v1beta1.OnTimeoutDelete),
		unknownValue("unmanagedPods", drain.UnmanagedPods, v1beta1.PolicyEvict, v1beta1.PolicyBlock),
		unknownValue("emptyDirPods", drain.EmptyDirPods, v1beta1.PolicyEvict, v1beta1.PolicyBlock),
	)
	if err != nil {
		return fmt.Errorf("spec.drain cannot be used: %w", err)
	}
	return nil
}

// unknownValue returns an error for a value that is not known. An empty one stands for the default.
func unknownValue[T ~string](setting string, value T, known ...T) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s is %q, which this version of the server does not know: a newer one has to continue, or set %s to one of %q",
		setting, value, setting, known)
}
