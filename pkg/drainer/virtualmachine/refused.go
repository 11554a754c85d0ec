// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// askAgain is the time after which KubeVirt's kinds are asked for again where they could not be read.
// Somebody may have installed KubeVirt, or given the permissions.
const askAgain = 5 * time.Minute

// refused says whether the API server does not let us read the kind, or does not have it. Other errors
// pass by themselves.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err) ||
		apierrors.IsMethodNotSupported(err)
}
