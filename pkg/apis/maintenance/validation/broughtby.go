// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// broughtBy returns the errors that a write brings: those of what it stores, without those that are stored already.
// Another version of the server may have stored what this one would refuse. Whoever changes something else, above
// all the server itself, which writes the status and lets the object end, can neither know nor mend that.
func broughtBy(written field.ErrorList, stored func() field.ErrorList) field.ErrorList {
	if len(written) == 0 {
		return nil
	}
	before := stored()
	return slices.DeleteFunc(written, func(err *field.Error) bool {
		return slices.ContainsFunc(before, func(old *field.Error) bool { return old.Error() == err.Error() })
	})
}
