// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

const eventDeleted = "ServerDeleted"

// visit is one round.
type visit struct {
	*Integration
	// version is that of the API server.
	version string
	// cloud is logged in at when the first server is to be deleted; nil until then.
	cloud *cloud
}

// node labels the node, and removes it if that is asked for.
func (v *visit) node(ctx context.Context, node *corev1.Node) error {
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	update, problem := updateOf(node, v.version)
	if problem == nil {
		problem = v.nodes.Mark(ctx, node, integrations.Marks{Labels: map[string]string{UpdateLabel: update}})
	}
	if node.Labels[DeleteLabel] != isTrue {
		return problem
	}
	return errors.Join(problem, v.remove(ctx, node))
}

// remove drains the node, and then deletes its server. After that, nothing is left to be done until the node is gone.
func (v *visit) remove(ctx context.Context, node *corev1.Node) error {
	drained, err := v.holds.Keep(ctx, node, integrations.Want{Reason: "its server is to be deleted, as the label " + DeleteLabel + " says"})
	if err != nil || !drained {
		return err
	}
	if v.cloud == nil {
		if v.cloud, err = v.config.logIn(ctx, v.config.Fence); err != nil {
			return err
		}
	}
	deleted, err := v.cloud.deleteServer(ctx, node.Name)
	if deleted {
		v.reporter.Did(ctx, node.Name, eventDeleted, "The node's server in OpenStack was deleted")
	}
	return err
}

func (v *visit) close() {
	if v.cloud != nil {
		v.cloud.close()
	}
}
