// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"slices"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// RequestorFrom returns the name of the user who makes the request. It is empty when the request has no
// user; validation refuses such an object.
func RequestorFrom(ctx context.Context) string {
	requester, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return ""
	}
	return requester.GetName()
}

func hasUncordonFinalizer(nm *v1beta1.NodeMaintenance) bool {
	return slices.Contains(nm.Finalizers, v1beta1.UncordonFinalizer)
}

// withUncordonFinalizer returns the finalizers with the server's own exactly once, at the end. The
// others keep their order.
func withUncordonFinalizer(finalizers []string) []string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == v1beta1.UncordonFinalizer
	})
	return append(others, v1beta1.UncordonFinalizer)
}
