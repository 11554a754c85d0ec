// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Space knows whether the store has space for more.
type Space interface {
	// CheckSpace returns an error, for a user to read, when the store should take nothing new. It is
	// asked while a request waits, so it must answer from memory.
	CheckSpace() error
}

// reasonNoSpace is the reason that goes with status 507, for which metav1 has none.
const reasonNoSpace metav1.StatusReason = "InsufficientStorage"

// checkSpace keeps the last of the store's space for deletes and updates. The status is 507: a 403 would say that the client
// is at fault, and clients retry a 429 or 503 with Retry-After for minutes instead of showing the error.
func (r *REST) checkSpace(name string) error {
	if r.space == nil {
		return nil
	}
	err := r.space.CheckSpace()
	if err == nil {
		return nil
	}
	resource := r.DefaultQualifiedResource
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusInsufficientStorage,
		Reason:  reasonNoSpace,
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: name},
		Message: fmt.Sprintf("%s %q was not created: %s", resource, name, err),
	}}
}
