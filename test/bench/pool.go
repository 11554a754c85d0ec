// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// pool are a case's own nodes.
type pool struct {
	name  string
	nodes []string
}

func (b *bench) newPool(ctx context.Context, name string, nodes int) (*pool, error) {
	options := localcluster.NodeOptions{Count: nodes, NamePrefix: name + "-", Labels: map[string]string{poolLabel: name}}
	if err := b.cluster.AddNodes(ctx, options); err != nil {
		return nil, fmt.Errorf("could not add nodes: %w", err)
	}
	p := &pool{name: name}
	for i := range nodes {
		p.nodes = append(p.nodes, fmt.Sprintf("%s-%d", name, i+1))
	}
	return p, nil
}

// removePool leaves nothing of a case's nodes beside the next.
func (b *bench) removePool(ctx context.Context, p *pool) error {
	return inParallel(p.nodes, setUpParallel, func(node string) error {
		if err := b.kube.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("could not delete node %s: %w", node, err)
		}
		return nil
	})
}
