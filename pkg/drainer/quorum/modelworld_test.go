// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
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
	// kube reads nodes.
	kube *kubefake.Clientset
	// latest are the nodes as this process has patched them last.
	latest nodesByName
	// cordons are the patches under way; orphans are those of a process that has crashed.
	cordons, orphans map[string]bool
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
		holds: map[string][]*v1beta1.NodeMaintenance{}, cordons: map[string]bool{}, orphans: map[string]bool{}, saw: map[string]int{}, kube: &kubefake.Clientset{},
	}
	w.kube.AddReactor("get", "nodes", w.get)
	w.start()
	return w
}

// get answers the request for a node.
func (w *world) get(action clienttesting.Action) (bool, runtime.Object, error) {
	name := action.(clienttesting.GetAction).GetName()
	if w.nodes[name] == nil {
		return true, nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
	}
	return true, w.nodes[name].DeepCopy(), nil
}

// start starts a Guard that knows nothing, as a new process does: each node with holds is looked at. Its caches are
// fresh, or lag as those of a process do that has not led so far.
func (w *world) start() {
	if w.rand.IntN(2) == 0 {
		w.cached, w.events = maps.Clone(w.nodes), nil
	}
	w.queue, w.late, w.latest = nil, nil, nodesByName{}
	w.guard = New(w, w.kube, false)
	w.guard.setWake(w.enqueue)
	w.changed = w.guard.changed
	for _, name := range slices.Sorted(maps.Keys(w.cached)) {
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
	w.made++
	node.ResourceVersion = strconv.Itoa(w.made)
	w.nodes[node.Name] = node
	if len(node.Status.Conditions) == 0 {
		delete(w.nodes, node.Name)
		delete(w.cordons, node.Name)
		delete(w.orphans, node.Name)
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
	if len(w.holds[node.Name]) > 0 || nodemarks.Marked(node) {
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
	if w.orphans[name] { // a process that has crashed sends nothing any more once another one asks
		w.landOf(name)
	}
	node, view := w.nodes[name], w.view(name)
	holds := asking(w.holds[name])
	switch {
	case w.cordons[name]: // the worker still waits for the answer
		w.enqueue(name)
	case node == nil && w.cached[name] == nil:
		w.release(name)
	case node == nil || view == nil || node.UID != view.UID: // a conflict, and the cache brings the rest
	case len(holds) == 0:
		w.giveBack(node)
	case nodemarks.Marked(view):
		w.keep(view, holds)
	default:
		w.take(view, holds)
	}
}

// view is the newest that this process knows of a node.
func (w *world) view(name string) *corev1.Node {
	cached, latest := w.cached[name], w.latest[name]
	if cached == nil || latest == nil || version(cached) > version(latest) {
		return cached
	}
	return latest
}

func version(node *corev1.Node) int {
	version, _ := strconv.Atoi(node.ResourceVersion)
	return version
}

// keep asks for a node that is cordoned, as the drainer does each time.
func (w *world) keep(node *corev1.Node, holds []*v1beta1.NodeMaintenance) {
	if verdict, err := w.guard.Acquire(context.Background(), node, holds); verdict.Wait != nil || err != nil {
		w.t.Errorf("seed %d: %s is cordoned and lost its place: %+v, %v", w.seed, node.Name, verdict.Wait, err)
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
	if nodemarks.Marked(w.nodes[node.Name]) { // a conflict
		w.saw["found a cordon that the caches did not show"]++
		return
	}
	if !w.calming && w.rand.IntN(4) == 0 {
		w.note("%s waits at another gate", node.Name)
		w.late = append(w.late, node.Name)
		return
	}
	w.cordons[node.Name] = true
}

// judge checks that the node may pass, unless a hold overrides the quorum, or it is cordoned.
func (w *world) judge(node *corev1.Node, holds []*v1beta1.NodeMaintenance, waited bool) {
	switch {
	case overriding(holds):
		w.saw["overridden"]++
		return
	case waited:
		w.saw["went on after a wait"]++
	}
	w.saw["passed"]++
	if labelled(node) && ready(node) && !nodemarks.Marked(w.nodes[node.Name]) {
		w.wantRoom(node.Name)
	}
}

func (w *world) giveBack(node *corev1.Node) {
	switch {
	case nodemarks.Marked(node):
		w.change(node, func(n *corev1.Node) { delete(n.Annotations, v1beta1.HoldsAnnotation) })
		w.latest[node.Name] = w.nodes[node.Name]
	case len(w.holds[node.Name]) == 0:
		return
	}
	w.release(node.Name)
}

// release ends the holds that are being deleted. The status of those that are idle is written only later.
func (w *world) release(name string) {
	w.holds[name] = slices.DeleteFunc(w.holds[name], func(h *v1beta1.NodeMaintenance) bool { return !h.DeletionTimestamp.IsZero() })
	_ = w.guard.Release(context.Background(), name)
	for _, hold := range w.holds[name] {
		if hold.Spec.Stage == v1beta1.StageIdle && w.rand.IntN(2) == 0 {
			w.rewrite(hold, func(h *v1beta1.NodeMaintenance) { h.Status.NodeBefore, h.Status.Conditions = nil, nil })
		}
	}
}

// land has a cordon that is under way be carried out.
func (w *world) land() {
	if name, found := pick(w, maps.Keys(w.cordons)); found {
		w.landOf(name)
	}
}

// landOf carries out a cordon. A process that has crashed says nothing of it.
func (w *world) landOf(name string) {
	orphan := w.orphans[name]
	delete(w.cordons, name)
	delete(w.orphans, name)
	w.change(w.nodes[name], func(n *corev1.Node) { n.Annotations = map[string]string{v1beta1.HoldsAnnotation: "{}"} })
	if orphan {
		return
	}
	w.latest[name] = w.nodes[name]
	if holds := asking(w.holds[name]); len(holds) > 0 {
		w.say(holds, metav1.ConditionTrue, v1beta1.ReasonCordoned)
	}
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
