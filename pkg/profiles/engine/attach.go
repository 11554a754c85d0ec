// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// attach creates the NodeProfile of a node that the profile selects.
func (t *term) attach(ctx context.Context, v *view) (moved bool, err error) {
	if !v.selected || v.node == nil || v.node.DeletionTimestamp != nil {
		t.room.gone(t, v.name)
		return false, nil // a change of the node or of the profile is told anew
	}
	if !t.room.take(v.name, v1beta1.NodeProfileSpec{NodeName: v.node.Name, Profile: v.profile.Name}) {
		t.statuses.kick()
		return false, nil
	}
	created, err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().Create(ctx, &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: v.name, Finalizers: []string{v1beta1.OutboxFinalizer}},
		Spec:       v1beta1.NodeProfileSpec{NodeName: v.node.Name, Profile: v.profile.Name},
	}, metav1.CreateOptions{})
	if err != nil {
		t.room.gone(t, v.name)
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

// room is for no more NodeProfiles than there may be. Those that exist stay. If one goes, the first one that was refused
// is created, by name.
type room struct {
	// most is how many there may be; zero: any number.
	most int
	mu   sync.Mutex
	// taken are the NodeProfiles that exist, or are about to be created.
	taken sets.Set[string]
	// refused are those that are not created since there is no room.
	refused map[string]v1beta1.NodeProfileSpec
}

func newRoom(most int) *room {
	return &room{most: most, taken: sets.New[string](), refused: map[string]v1beta1.NodeProfileSpec{}}
}

// take says whether there is room for a NodeProfile, and keeps it.
func (r *room) take(name string, pair v1beta1.NodeProfileSpec) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 && r.taken.Len() >= r.most && !r.taken.Has(name) {
		r.refused[name] = pair
		return false
	}
	delete(r.refused, name)
	r.taken.Insert(name)
	return true
}

// exists takes notice of a NodeProfile, which others may have created.
func (r *room) exists(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken.Insert(name)
	delete(r.refused, name)
}

// gone takes notice of a NodeProfile that does not exist, and is not to. If there is room for another one, that is tried.
func (r *room) gone(t *term, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken.Delete(name)
	delete(r.refused, name)
	if len(r.refused) > 0 && r.taken.Len() < r.most {
		next := slices.Min(slices.Collect(maps.Keys(r.refused)))
		t.mayAttach(r.refused[next])
	}
}

// forget drops what was refused of a profile, or of a node, that is gone or has changed.
func (r *room) forget(name string, of func(v1beta1.NodeProfileSpec) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.refused, func(_ string, pair v1beta1.NodeProfileSpec) bool { return of(pair) == name })
}

func profileOf(pair v1beta1.NodeProfileSpec) string { return pair.Profile }
func nodeOf(pair v1beta1.NodeProfileSpec) string    { return pair.NodeName }

// lacks are on how many nodes each profile is not, since there is no room.
func (r *room) lacks() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	lacks := map[string]int{}
	for _, pair := range r.refused {
		lacks[pair.Profile]++
	}
	return lacks
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
