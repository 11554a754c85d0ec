// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// attach creates the NodeProfile of a node that the profile selects.
func (t *term) attach(ctx context.Context, v *view) (moved bool, err error) {
	if !v.selected || v.node == nil || v.node.DeletionTimestamp != nil {
		return false, nil // a change of the node or of the profile is told anew
	}
	created, err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().Create(ctx, &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: v.name, Finalizers: []string{v1beta1.OutboxFinalizer}},
		Spec:       v1beta1.NodeProfileSpec{NodeName: v.node.Name, Profile: v.profile.Name},
	}, metav1.CreateOptions{})
	if err != nil {
		t.pairs.note(v.name, v1beta1.NodeProfileSpec{NodeName: v.node.Name, Profile: v.profile.Name})
		return false, err
	}
	t.latest.Show(created)
	return true, nil
}

// begin has a NodeProfile begin as Operational.
func (t *term) begin(ctx context.Context, v *view) (moved, stop bool, err error) {
	if v.nodeProfile.Status.State != "" {
		return false, false, nil
	}
	uid := types.UID("")
	if v.node != nil {
		uid = v.node.UID
	}
	machine.Start(&v.next.Status, uid, v.now)
	return true, false, t.write(ctx, v)
}

// pairs are the nodes and profiles of NodeProfiles that may have to be created, by name.
type pairs struct {
	mu sync.Mutex
	of map[string]v1beta1.NodeProfileSpec
}

// take returns the profile and the node, and forgets them; nil if they do not exist.
func (p *pairs) take(t *term, name string) (*v1beta1.MaintenanceProfile, *corev1.Node) {
	p.mu.Lock()
	pair, found := p.of[name]
	delete(p.of, name)
	p.mu.Unlock()
	if !found {
		return nil, nil
	}
	return t.profile(pair.Profile), t.node(pair.NodeName)
}

// mayAttach has a NodeProfile created if the profile selects the node.
func (t *term) mayAttach(pair v1beta1.NodeProfileSpec) {
	name := v1beta1.NodeProfileName(pair.NodeName, pair.Profile)
	t.pairs.note(name, pair)
	t.queue.Add(name)
}

func (p *pairs) note(name string, pair v1beta1.NodeProfileSpec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[name] = pair
}
