// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// refusals tell of requests that a Kubernetes API server has refused for what they ask for, or for who asks: the same
// request is refused again until somebody changes something.
var refusals = []func(error) bool{
	apierrors.IsBadRequest, apierrors.IsForbidden, apierrors.IsInvalid, apierrors.IsMethodNotSupported,
	apierrors.IsNotAcceptable, apierrors.IsRequestEntityTooLargeError, apierrors.IsUnsupportedMediaType,
}

// Refusal is what a trigger returns for an error of a Kubernetes API server: Failed if the server has refused the
// request, else the error, after which Do is called again. doing says in the infinitive what was tried, such as "patch
// node a".
func Refusal(doing string, err error) (Progress, error) {
	if slices.ContainsFunc(refusals, func(is func(error) bool) bool { return is(err) }) {
		return Failed("could not %s: %v", doing, err), nil
	}
	return Progress{}, fmt.Errorf("could not %s: %w", doing, err)
}
