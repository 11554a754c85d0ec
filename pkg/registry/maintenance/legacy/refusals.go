// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// The words in which the operators' webhooks refused a write. Scripts may look for them.
const (
	noSuchNode    = "invalid nodeName, no node with name %s found"
	nodeHeld      = "invalid nodeName, a NodeMaintenance for node %s already exists"
	nodeChanged   = "updating spec.NodeName isn't allowed"
	medik8sQuorum = "can not put master/control-plane node into maintenance at this moment, disrupting node %s will violate etcd quorum"
	// kubeVirtQuorum does not name the node.
	kubeVirtQuorum = "can not put master node into maintenance at this moment, it would violate the master quorum"
)

// admitBeside refuses a hold on a node that does not exist or has another hold, under whichever name. A hold
// without a node is refused elsewhere.
func (g *group) admitBeside(hold *v1beta1.NodeMaintenance, others []v1beta1.NodeMaintenance) error {
	node := hold.Spec.NodeName
	switch {
	case !g.nodes.HasNode(node):
		return g.forbidden(hold, fmt.Sprintf(noSuchNode, node))
	case len(others) > 0:
		return g.forbidden(hold, fmt.Sprintf(nodeHeld, node))
	default:
		return nil
	}
}

// forbidden is the answer of a webhook, without the words that it was a webhook.
func (g *group) forbidden(hold *v1beta1.NodeMaintenance, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message,
		Details: &metav1.StatusDetails{Group: g.Group, Kind: nodemaintenance.Plural, Name: hold.Name},
	}}
}

// inOwnWords returns an error in the terms of the group: it names the group's resource.
func (g *group) inOwnWords(err error) error {
	var refusal *apierrors.StatusError
	if !errors.As(err, &refusal) || refusal.ErrStatus.Details == nil || refusal.ErrStatus.Details.Group != v1beta1.GroupName {
		return err
	}
	status := *refusal.ErrStatus.DeepCopy()
	status.Details.Group = g.Group
	for _, name := range []string{nodemaintenance.Plural, "NodeMaintenance"} {
		status.Message = strings.Replace(status.Message, name+"."+v1beta1.GroupName+" ", name+"."+g.Group+" ", 1)
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// notCreated is inOwnWords for the create of a hold on the node, which may have been refused because the
// control plane would lose its quorum. The operators' words for that have no numbers: a warning has them.
func (g *group) notCreated(ctx context.Context, node string, err error) error {
	var refusal *apierrors.StatusError
	if !apierrors.HasStatusCause(err, v1beta1.ReasonControlPlaneQuorum) || !errors.As(err, &refusal) {
		return g.inOwnWords(err)
	}
	for _, cause := range refusal.ErrStatus.Details.Causes {
		warning.AddWarning(ctx, "", cause.Message)
	}
	status := *refusal.ErrStatus.DeepCopy()
	status.Details.Group, status.Message = g.Group, kubeVirtQuorum
	if g.isMedik8s() {
		status.Message = fmt.Sprintf(medik8sQuorum, node)
	}
	return &apierrors.StatusError{ErrStatus: status}
}
