// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package caller tells who makes a request.
package caller

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// IsServer says whether the request comes from the server's own loopback client. If the server is gone,
// an administrator who may impersonate its user can act in its place.
func IsServer(ctx context.Context) bool {
	requester, ok := genericapirequest.UserFrom(ctx)
	return ok && requester.GetName() == user.APIServerUser &&
		slices.Contains(requester.GetGroups(), user.SystemPrivilegedGroup)
}

// maxGroupBytes is how much of the groups of an author is kept. Some identity providers list hundreds.
const maxGroupBytes = 16 << 10

// Author returns who makes the request, to be asked about again later; nil if that is not known.
func Author(ctx context.Context) *v1beta1.Author {
	requester, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return nil
	}
	author := &v1beta1.Author{Username: requester.GetName(), UID: requester.GetUID()}
	left := maxGroupBytes
	for _, group := range requester.GetGroups() {
		if left -= len(group); left < 0 {
			break
		}
		author.Groups = append(author.Groups, group)
	}
	return author
}
