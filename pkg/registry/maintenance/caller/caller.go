// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package caller tells who makes a request.
package caller

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// IsServer says whether the request comes from the server's own loopback client. If the server is gone,
// an administrator who may impersonate its user can act in its place.
func IsServer(ctx context.Context) bool {
	requester, ok := genericapirequest.UserFrom(ctx)
	return ok && requester.GetName() == user.APIServerUser &&
		slices.Contains(requester.GetGroups(), user.SystemPrivilegedGroup)
}
