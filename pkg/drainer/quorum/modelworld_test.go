// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

type nodesByName = map[string]*corev1.Node

// world is a cluster for a model run, and the drainer in it as far as a gate needs one.
type world struct {
	t    *testing.T
	seed uint64
	rand *rand.Rand
	// nodes is what the API server has, cached what the caches show. Holds are cached without delay.
	nodes, cached nodesByName
	holds         map[string][]*v1beta1.NodeMaintenance
	// events are the changes of nodes that the caches do not show yet.
	events []*corev1.Node
	// cordons are the patches under way.
	cordons map[string]bool
	// saidYes are the nodes that this process has let pass, until they are given back.
	saidYes map[types.UID]bool
	// queue are the nodes that are to be looked at.
	queue []string
	guard *Guard
	// late are the nodes that wait at another gate, and calming says that none does any more.
	late    []string
	calming bool
	// changed is told what the caches show newly.
	changed func(string)
	made    int
	saw     map[string]int
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), nodes: nodesByName{}, cached: nodesByName{},
		holds: map[string][]*v1beta1.NodeMaintenance{}, cordons: map[string]bool{}, saw: map[string]int{},
	}
	w.start()
	return w
}

// start starts a Guard that knows nothing, as a new process does: its caches are fresh, and each node with holds
// is looked at.
func (w *world) start() {
	w.cached, w.events, w.queue, w.saidYes = maps.Clone(w.nodes), nil, nil, map[types.UID]bool{}
	w.guard = New(w, nil, false)
	w.guard.setWake(w.enqueue)
	w.changed = w.guard.changed
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		w.changed(name)
		w.enqueue(name)
	}
}

// Node implements Cluster.
func (w *world) Node(name string) (*corev1.Node, error) { return w.cached[name], nil }

// Nodes implements Cluster.
func (w *world) Nodes() ([]*corev1.Node, error) { return slices.Collect(maps.Values(w.cached)), nil }

// HoldsOn implements Cluster.
func (w *world) HoldsOn(node string) []*v1beta1.NodeMaintenance { return w.holds[node] }

// WatchNodes implements Cluster.
func (w *world) WatchNodes(func(string)) (func(), error) { return func() {}, nil }

func (w *world) enqueue(node string) {
	if !slices.Contains(w.queue, node) {
		w.queue = append(w.queue, node)
	}
}

// put has the API server store a node, and the caches show it later. A node without conditions is gone.
func (w *world) put(node *corev1.Node) {
	w.nodes[node.Name] = node
	if len(node.Status.Conditions) == 0 {
		delete(w.nodes, node.Name)
		delete(w.cordons, node.Name)
	}
	w.events = append(w.events, node)
}

// show has the caches show the oldest change.
func (w *world) show() {
	if len(w.events) == 0 {
		return
	}
	node := w.events[0]
	w.events = w.events[1:]
	if w.rand.IntN(2) == 0 && slices.ContainsFunc(w.events, func(next *corev1.Node) bool { return next.Name == node.Name }) {
		return // the watch was interrupted, and goes on with a list
	}
	w.cached[node.Name] = node
	if len(node.Status.Conditions) == 0 {
		delete(w.cached, node.Name)
	}
	w.changed(node.Name)
	if len(w.holds[node.Name]) > 0 || drainer.Marked(node) {
		w.enqueue(node.Name)
	}
}

// work looks at the next node of the queue, as the drainer does.
func (w *world) work() {
	if w.calming || w.rand.IntN(8) == 0 {
		w.queue, w.late = append(w.queue, w.late...), nil
	}
	if len(w.queue) == 0 {
		return
	}
	name := w.queue[0]
	w.queue = w.queue[1:]
	node, cached := w.nodes[name], w.cached[name]
	holds := asking(w.holds[name])
	switch {
	case w.cordons[name]: // the worker still waits for the answer
		w.enqueue(name)
	case node == nil && cached == nil:
		w.release(name)
	case node == nil || cached == nil || node.UID != cached.UID: // a conflict, and the cache brings the rest
	case len(holds) == 0:
		w.giveBack(node)
	case !drainer.Marked(node):
		w.take(cached, holds)
	}
}

func (w *world) take(node *corev1.Node, holds []*v1beta1.NodeMaintenance) {
	for i, hold := range holds {
		holds[i] = w.rewrite(hold, func(h *v1beta1.NodeMaintenance) {
			if h.Status.NodeUID != node.UID {
				h.Status = v1beta1.NodeMaintenanceStatus{NodeUID: node.UID}
			}
			h.Status.NodeBefore = &v1beta1.NodeBefore{}
		})
	}
	waited := w.guard.answered(node) == waits
	verdict, err := w.guard.Acquire(context.Background(), node, holds)
	if err != nil {
		w.t.Errorf("seed %d: %s: %v", w.seed, node.Name, err)
	}
	w.note("%s is asked for: %+v", node.Name, verdict.Wait)
	if verdict.Wait != nil {
		w.saw["waited"]++
		w.say(holds, metav1.ConditionFalse, verdict.Wait.Reason)
		return
	}
	w.judge(node, holds, waited)
	w.saidYes[node.UID] = true
	if !w.calming && w.rand.IntN(4) == 0 {
		w.note("%s waits at another gate", node.Name)
		w.late = append(w.late, node.Name)
		return
	}
	w.cordons[node.Name] = true
}

// judge checks that the node may pass, unless a hold overrides the quorum, or had it cordoned before.
func (w *world) judge(node *corev1.Node, holds []*v1beta1.NodeMaintenance, waited bool) {
	switch {
	case overriding(holds):
		w.saw["overridden"]++
		return
	case waited:
		w.saw["went on after a wait"]++
	}
	w.saw["passed"]++
	if labelled(node) && ready(node) && !cordoned(node, holds) && w.fresh(node) {
		w.wantRoom(node.Name)
	}
}

// fresh says whether the node was not let pass before, by this process.
func (w *world) fresh(node *corev1.Node) bool { return !w.saidYes[node.UID] }

func (w *world) giveBack(node *corev1.Node) {
	switch {
	case drainer.Marked(node):
		w.change(node, func(n *corev1.Node) { delete(n.Annotations, v1beta1.HoldsAnnotation) })
	case len(w.holds[node.Name]) == 0:
		return
	}
	delete(w.saidYes, node.UID)
	w.release(node.Name)
}

func (w *world) release(name string) {
	w.holds[name] = asking(w.holds[name])
	_ = w.guard.Release(context.Background(), name)
}

// land has a cordon that is under way be carried out.
func (w *world) land() {
	name, found := pick(w, maps.Keys(w.cordons))
	if !found {
		return
	}
	delete(w.cordons, name)
	if holds := asking(w.holds[name]); len(holds) > 0 {
		w.say(holds, metav1.ConditionTrue, v1beta1.ReasonCordoned)
	}
	w.change(w.nodes[name], func(n *corev1.Node) { n.Annotations = map[string]string{v1beta1.HoldsAnnotation: "{}"} })
}

// say writes the condition Cordoned of the holds.
func (w *world) say(holds []*v1beta1.NodeMaintenance, status metav1.ConditionStatus, reason string) {
	for _, hold := range holds {
		w.rewrite(hold, func(h *v1beta1.NodeMaintenance) {
			apimeta.SetStatusCondition(&h.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionCordoned, Status: status, Reason: reason})
		})
	}
}

// rewrite stores a changed copy of a hold, and returns it.
func (w *world) rewrite(hold *v1beta1.NodeMaintenance, change func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	changed := hold.DeepCopy()
	change(changed)
	all := w.holds[hold.Spec.NodeName]
	all[slices.IndexFunc(all, func(h *v1beta1.NodeMaintenance) bool { return h.Name == hold.Name })] = changed
	return changed
}

func (w *world) change(node *corev1.Node, change func(*corev1.Node)) {
	changed := node.DeepCopy()
	change(changed)
	w.put(changed)
}

func labelled(node *corev1.Node) bool {
	return node.Labels["node-role.kubernetes.io/control-plane"] == "yes"
}

func newMember(name string) *corev1.Node {
	return drainertest.Node{Name: name, Labels: map[string]string{"node-role.kubernetes.io/control-plane": "yes"}}.Object()
}
