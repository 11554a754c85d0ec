// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

// Nodes knows the nodes of the cluster. It is asked while a request waits, so it should answer from
// memory. It fails while the nodes are not known yet. The caller does not change what it returns.
type Nodes interface {
	// Node returns the node of that name, nil when there is none.
	Node(name string) (*corev1.Node, error)
	// Nodes returns all nodes.
	Nodes() ([]*corev1.Node, error)
	// WatchNodes calls changed with the name of each node that comes, changes or goes, after Node shows
	// it, until stop is called. It may call it for other nodes, too.
	WatchNodes(changed func(name string)) (stop func(), err error)
}

// New makes the storage of nodes and of its subresources, by their names in URLs. holds stores
// the NodeMaintenances, chain is the admission that each of them passes, and authorizeRead checks who sees them. Without a fleet,
// nodes show only what their holds say.
func New(nodes Nodes, holds *holdstorage.REST, chain admission.Interface, objects admission.ObjectInterfaces,
	authorizeRead AuthorizeRead, fleet Fleet,
) map[string]rest.Storage {
	writeHolds := writeas.Resource{
		Kind: v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance"), Resource: v1beta1.SchemeGroupVersion.WithResource(nodemaintenance.Plural),
		Chain: chain, Objects: objects,
	}
	return map[string]rest.Storage{
		"nodes":             &REST{nodes: nodes, feed: newFeed(nodes, holds), fleet: fleet},
		"nodes/maintenance": &MaintenanceREST{nodes: nodes, holds: holds, writeHolds: writeHolds},
		"nodes/drainplan":   &DrainPlanREST{nodes: nodes, holds: holds, authorizeRead: authorizeRead},
	}
}

var _ interface {
	rest.Storage
	rest.Scoper
	rest.Getter
	rest.Lister
	rest.Watcher
	rest.SingularNameProvider
} = (*REST)(nil)

// REST serves the states of nodes. They cannot be deleted. So controllers that act on every resource
// that can be, like the garbage collector, leave them alone.
type REST struct {
	nodes Nodes
	feed  *feed
	// fleet is nil where there can be no policies.
	fleet Fleet
}

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &v1beta1.NodeState{} }

// Destroy implements rest.Storage.
func (r *REST) Destroy() { r.feed.close() }

// NamespaceScoped is false, as it is for nodes.
func (*REST) NamespaceScoped() bool { return false }

// GetSingularName is not "node", so that kubectl get node still means the cluster's nodes.
func (*REST) GetSingularName() string { return "nodestate" }

// NewList implements rest.Lister.
func (*REST) NewList() runtime.Object { return &v1beta1.NodeStateList{} }

// ConvertToTable implements rest.TableConvertor.
func (*REST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return node.Table.ConvertToTable(ctx, object, tableOptions)
}

// Get implements rest.Getter.
func (r *REST) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if _, err := existing(r.nodes, name); err != nil {
		return nil, err
	}
	if err := r.feed.freshOn(ctx, name); err != nil {
		return nil, err
	}
	if state := r.feed.board.State(name); state != nil {
		shown := []v1beta1.NodeState{*state}
		r.showWaits(ctx, shown)
		return &shown[0], nil
	}
	return nil, apierrors.NewNotFound(v1beta1.Resource("nodes"), name)
}

// List implements rest.Lister.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	query, err := newQuery(options)
	if err != nil {
		return nil, err
	}
	if err := r.known(ctx, query); err != nil {
		return nil, err
	}
	states, version := r.feed.board.States()
	if err := query.check(r.feed.board, version); err != nil {
		return nil, err
	}
	page := query.page(states, version)
	r.showWaits(ctx, page.Items)
	return page, nil
}

// known has the board know what a list shows. Only the first page has to be of the latest revision of the
// store: the others go on from it.
func (r *REST) known(ctx context.Context, q query) error {
	if q.after != nil {
		return r.feed.start(ctx)
	}
	return r.feed.fresh(ctx)
}

// existing returns the node. It fails with NotFound when there is none, and with ServiceUnavailable
// when the nodes are not known.
func existing(nodes Nodes, name string) (*corev1.Node, error) {
	found, err := nodes.Node(name)
	if err != nil {
		return nil, unavailable(err)
	}
	if found == nil {
		return nil, apierrors.NewNotFound(v1beta1.Resource("nodes"), name)
	}
	return found, nil
}

func unavailable(err error) error { return apierrors.NewServiceUnavailable(err.Error()) }
