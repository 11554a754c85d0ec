// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// leases say for each step who has the lease of its node. The import changes no lease: this server goes on
// with that of the operator if it takes leases of nodes.
func (i *importer) leases(ctx context.Context, steps []step) []string {
	holders := make([]string, 0, len(steps))
	for _, s := range steps {
		holders = append(holders, i.leaseHolder(ctx, s.object))
	}
	return holders
}

func (i *importer) leaseHolder(ctx context.Context, o object) string {
	if o.Spec.NodeName == "" {
		return "none"
	}
	lease, err := i.kube.CoordinationV1().Leases(o.source.leaseNamespace).Get(ctx, o.source.leasePrefix+o.Spec.NodeName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "none"
	case err != nil:
		return "not known"
	case ptr.Deref(lease.Spec.HolderIdentity, "") == "":
		return "free"
	case *lease.Spec.HolderIdentity == leaseHolder:
		return "kept"
	default:
		return "of " + *lease.Spec.HolderIdentity
	}
}
