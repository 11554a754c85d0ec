// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// Quorum keeps enough members of the control plane in service.
type Quorum interface {
	// Members returns the names of all members of the control plane if the node is one; else none. It is asked
	// while a request waits, so it must answer from memory, and answer none while it does not know.
	Members(node string) []string
	// Check says whether a hold on a member may be created. annotations are those of the hold: one that is imported may
	// find its node out of service already. held says of each member for which a hold is
	// stored whose it is; override that the hold overrides the quorum. If it may not, the message is for the
	// user who is refused; else it is a warning, or empty. It fails when that cannot be found out.
	Check(ctx context.Context, node string, override bool, annotations, held map[string]string) (may bool, message string, err error)
}

// admitToQuorum refuses a hold that would take too many members of the control plane out of service. From when
// the stored holds are counted until the new one is stored, no other hold on a member is counted. A hold in stage
// Idle takes nothing.
func (r *REST) admitToQuorum(ctx context.Context, hold *v1beta1.NodeMaintenance, creating *creation) error {
	if r.quorum == nil || !nodemaintenance.Keeps(hold) {
		return nil
	}
	members := r.quorum.Members(hold.Spec.NodeName)
	if len(members) == 0 {
		return nil
	}
	creating.beginMember(&r.memberLock)
	held, err := r.heldBy(ctx, members)
	if err != nil {
		return err
	}
	may, message, err := r.quorum.Check(ctx, hold.Spec.NodeName, hold.Spec.OverrideQuorum, hold.Annotations, held)
	switch {
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether the control plane can do without node %s, try again: %w",
			hold.Spec.NodeName, err))
	case !may:
		return refusedByQuorum(hold, message)
	}
	creating.warning = message
	return nil
}

// heldBy says of each of the nodes that stored holds keep in maintenance whose these are. It asks the store, since
// the cluster's nodes show a hold only later.
func (r *REST) heldBy(ctx context.Context, nodes []string) (map[string]string, error) {
	held := map[string]string{}
	for _, node := range nodes {
		stored, err := r.HoldsOn(ctx, node)
		if err != nil {
			return nil, err
		}
		if holds := keeping(stored.Items); len(holds) > 0 {
			held[node] = Describe(holds)
		}
	}
	return held, nil
}

// refusedByQuorum is a 403 whose cause programs can tell from a missing permission.
func refusedByQuorum(hold *v1beta1.NodeMaintenance, message string) error {
	refusal := apierrors.NewForbidden(v1beta1.Resource(nodemaintenance.Plural), hold.Name, errors.New(message))
	refusal.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: v1beta1.ReasonControlPlaneQuorum, Message: message, Field: "spec.nodeName"},
	}
	return refusal
}
