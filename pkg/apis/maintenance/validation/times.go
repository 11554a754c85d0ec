// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Years between which a time of a spec must be. Sums with such times stay far from the year 9999, after which times can
// be stored, but not be read again.
const (
	minYear = 1970
	maxYear = 2200
)

// validateTime checks a time that need not be set. Its year counts in UTC, as it is stored.
func validateTime(at *metav1.Time, path *field.Path) field.ErrorList {
	if at == nil {
		return nil
	}
	if year := at.UTC().Year(); year >= minYear && year <= maxYear {
		return nil
	}
	return field.ErrorList{field.Invalid(path, at.UTC().Format(time.RFC3339),
		fmt.Sprintf("must be in a year between %d and %d", minYear, maxYear))}
}
