// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateStartDeadline refuses a new deadline in the past. A missed deadline comes before others in the queue, so
// nobody may choose to have missed one. One that passes after it was stored stays valid.
func (s strategy) validateStartDeadline(deadline, stored *metav1.Time) field.ErrorList {
	now := s.now()
	if deadline == nil || deadline.Equal(stored) || deadline.After(now) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "startDeadline"), deadline, fmt.Sprintf(
		"must be after %s, which is now; leave it out if the maintenance may start at any time", now.UTC().Format(time.RFC3339)))}
}
