// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// nodeLease is what is known of the lease of an object's node. The import changes no lease: this server goes
// on with that of the operator if it takes leases of nodes.
type nodeLease struct {
	// state says it in a word or two.
	state string
	// other is who else has the node, such as another operator; empty: nobody.
	other string
}

func (i *importer) nodeLease(ctx context.Context, o object, now time.Time) nodeLease {
	if o.Spec.NodeName == "" {
		return nodeLease{state: "none"}
	}
	lease, err := i.kube.CoordinationV1().Leases(o.source.leaseNamespace).Get(ctx, o.source.leasePrefix+o.Spec.NodeName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nodeLease{state: "none"}
	case err != nil:
		return nodeLease{state: "not known"}
	default:
		return readLease(*lease, now)
	}
}

// readLease says who has a lease at that time.
func readLease(lease coordinationv1.Lease, now time.Time) nodeLease {
	switch holder := ptr.Deref(lease.Spec.HolderIdentity, ""); {
	case holder == "":
		return nodeLease{state: "free"}
	case !leads(lease, now):
		return nodeLease{state: "expired"}
	case holder == leaseHolder:
		return nodeLease{state: "kept"}
	default:
		return nodeLease{state: "of " + holder, other: holder}
	}
}
