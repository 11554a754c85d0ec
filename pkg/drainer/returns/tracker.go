// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package returns

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Pods are the pods of a node that came after its cordon, each with its controller. They are not to be
// changed.
type Pods map[types.UID]Controller

// Tracker remembers the pods that come to nodes under drain. Nothing of it is needed after a restart: of
// each controller, one more pod is evicted at once then. Use NewTracker.
type Tracker struct {
	mu    sync.Mutex
	nodes map[string]*nodeReturns
}

// nodeReturns is what is remembered of one node.
type nodeReturns struct {
	// uid is that of the node: another one of the same name has a drain of its own.
	uid types.UID
	// before are the pods that were there when the drain began.
	before      sets.Set[types.UID]
	controllers map[string]*Controller
	pods        Pods
	// tolerant are the pods on the node that tolerate its cordon, and tolerantLeft is when one of them was
	// last seen to have left: the one in its place may come at once.
	tolerant     sets.Set[types.UID]
	tolerantLeft time.Time
}

// NewTracker returns a tracker that knows no node.
func NewTracker() *Tracker { return &Tracker{nodes: map[string]*nodeReturns{}} }

// Observe takes in all pods of the node, and returns those that came back, of the drainable ones: a
// controller made them after the node was cordoned or, whatever their time of creation says, they were
// not there when the node was first observed. tolerant are those that tolerate the cordon. A zero cordoned
// means just now.
func (t *Tracker) Observe(node *corev1.Node, pods []*corev1.Pod, drainable, tolerant sets.Set[types.UID], cordoned, now time.Time) Pods {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.nodes[node.Name]
	if known == nil || known.uid != node.UID {
		known = &nodeReturns{uid: node.UID, before: presentBefore(pods, cordoned), controllers: map[string]*Controller{}}
		t.nodes[node.Name] = known
	}
	if known.tolerant.Difference(tolerant).Len() > 0 {
		known.tolerantLeft = now
	}
	known.tolerant = tolerant
	known.observe(known.came(pods, drainable), now)
	return known.pods
}

// presentBefore are the pods that did not come after the cordon. The times of creation are in seconds.
func presentBefore(pods []*corev1.Pod, cordoned time.Time) sets.Set[types.UID] {
	before := sets.New[types.UID]()
	for _, pod := range pods {
		if cordoned.IsZero() || !pod.CreationTimestamp.After(cordoned) {
			before.Insert(pod.UID)
		}
	}
	return before
}

// came are the drainable pods that came after the drain began, by their controller.
func (n *nodeReturns) came(pods []*corev1.Pod, drainable sets.Set[types.UID]) map[string][]*corev1.Pod {
	came := map[string][]*corev1.Pod{}
	for _, pod := range pods {
		if n.before.Has(pod.UID) || !drainable.Has(pod.UID) {
			continue
		}
		object := owner(pod)
		came[object] = append(came[object], pod)
	}
	return came
}

func (n *nodeReturns) observe(came map[string][]*corev1.Pod, now time.Time) {
	for object, pods := range came {
		if n.controllers[object] == nil {
			n.controllers[object] = newController(object, pods)
		}
	}
	n.pods = Pods{}
	for object, controller := range n.controllers {
		controller.observe(came[object], now)
		if controller.forgotten(now) {
			delete(n.controllers, object)
		}
		for _, pod := range came[object] {
			n.pods[pod.UID] = *controller
		}
	}
}

// Choose notes which pod of each controller is evicted, by the controller's object. A controller that is
// not named has none chosen any more.
func (t *Tracker) Choose(node string, chosen map[string]types.UID, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.nodes[node]; known != nil {
		for object, controller := range known.controllers {
			controller.choose(chosen[object], now)
		}
	}
}

// Pods returns what Observe returned last for the node.
func (t *Tracker) Pods(node string) Pods {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.nodes[node]; known != nil {
		return known.pods
	}
	return nil
}

// Restless returns for how long the node may not be called empty, because controllers have put pods back
// on it until now, or because one that tolerates the cordon has just left. Zero: it may.
func (t *Tracker) Restless(node string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	longest := time.Duration(0)
	if known := t.nodes[node]; known != nil {
		longest = max(longest, known.tolerantLeft.Add(Settle).Sub(now))
		for _, controller := range known.controllers {
			longest = max(longest, controller.restless(now))
		}
	}
	return longest
}

// Forget drops what is remembered of the node: it is not under drain any more.
func (t *Tracker) Forget(node string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.nodes, node)
}
