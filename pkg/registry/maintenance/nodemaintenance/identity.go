// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// RequestorFrom returns the name of the user who makes the request. It is empty
// where the request has none, and such an object does not pass validation.
func RequestorFrom(ctx context.Context) string {
	requester, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return ""
	}
	return requester.GetName()
}

// isServer says whether the request comes from the server's own loopback client.
// An administrator who may impersonate it can stand in for a server that is gone.
func isServer(ctx context.Context) bool {
	requester, ok := genericapirequest.UserFrom(ctx)
	return ok && requester.GetName() == user.APIServerUser &&
		slices.Contains(requester.GetGroups(), user.SystemPrivilegedGroup)
}

func hasUncordonFinalizer(nm *maintenance.NodeMaintenance) bool {
	return slices.Contains(nm.Finalizers, v1beta1.UncordonFinalizer)
}

// withUncordonFinalizer returns the finalizers with the server's own among them
// exactly once, and the others in their order.
func withUncordonFinalizer(finalizers []string) []string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == v1beta1.UncordonFinalizer
	})
	return append(others, v1beta1.UncordonFinalizer)
}
