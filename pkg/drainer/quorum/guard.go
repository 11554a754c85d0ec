// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// Cluster is what a Guard knows of the cluster, from memory. A drainer.Drainer is one.
type Cluster interface {
	// Node returns the node of that name; nil when there is none. It fails while the nodes are not known.
	Node(name string) (*corev1.Node, error)
	// Nodes returns all nodes. It fails while they are not known.
	Nodes() ([]*corev1.Node, error)
	// HoldsOn returns the NodeMaintenances that name the node.
	HoldsOn(node string) []*v1beta1.NodeMaintenance
	// WatchNodes calls changed with the name of each node that comes, changes or goes, after Node shows it,
	// until stop is called; and once for each node that exists.
	WatchNodes(changed func(name string)) (stop func(), err error)
}

// Guard keeps enough members of the control plane in service. It is asked when a NodeMaintenance is created
// (Check), and as a drainer.Gate before its node is cordoned. Use New.
type Guard struct {
	cluster Cluster
	// kube reads nodes past the caches.
	kube kubernetes.Interface
	// etcd is nil unless the cluster is an OpenShift.
	etcd *etcd

	mu sync.Mutex
	// answers are the last answers for the nodes that were asked for, by name, while they exist.
	answers map[string]answered
	// seen is how the members of the control plane were seen last.
	seen map[string]sight
	// wake has a node asked for again; nil while Run does not run.
	wake func(node string)
}

var _ drainer.MemoryGate = (*Guard)(nil)

// answer is what was said of a node.
type answer int

const (
	// unknown: nothing, in this process.
	unknown answer = iota
	// waits: it may not be taken yet. When that was decided, the API server had not cordoned it.
	waits
	// taken: it was let pass, and counts as out until it is released, or must wait after all.
	taken
	// released: it is in service, as far as this process is concerned.
	released
)

// answered is the answer for one node. Another node of the same name has none yet.
type answered struct {
	answer answer
	node   types.UID
}

// answered is the last answer for the node.
func (g *Guard) answered(node *corev1.Node) answer {
	if last := g.answers[node.Name]; last.node == node.UID {
		return last.answer
	}
	return unknown
}

// New returns a Guard for the cluster. Through kube it reads nodes whose cordon the caches may not show yet. With
// openShift it also heeds the disruption budget of etcd there, and reads that, too.
func New(cluster Cluster, kube kubernetes.Interface, openShift bool) *Guard {
	g := &Guard{cluster: cluster, kube: kube, answers: map[string]answered{}, seen: map[string]sight{}}
	if openShift {
		g.etcd = &etcd{kube: kube}
	}
	return g
}
