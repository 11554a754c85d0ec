// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/keymutex"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Waker is told when a hold on a node has changed. It must not block, and may lose a call: whoever acts
// on NodeMaintenances watches them, too.
type Waker interface {
	Wake(node string)
}

// NodeFinder knows the nodes of the cluster. It is asked while a request waits,
// so it should answer from memory, and answer true while it does not know.
type NodeFinder interface {
	HasNode(name string) bool
}

// Planner knows what a drain would do. It changes nothing.
type Planner interface {
	// Plan says what would become of the pods of the hold's node beside the node's other holds. fresh asks for the pods as they are
	// now, which takes longer than to read them from a cache.
	Plan(ctx context.Context, hold *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error)
}

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
	rest.StorageWithReadiness
} = (*REST)(nil)

// REST serves NodeMaintenances.
type REST struct {
	*resource.REST

	waker   Waker
	nodes   NodeFinder
	planner Planner
	// quorum is nil where the control plane is not guarded.
	quorum Quorum
	// fleet is nil where there can be no policies.
	fleet   Fleet
	written *writtenVersions
	lists   sharedLists

	creationLocks keymutex.KeyMutex
	// memberLock is held while a new hold on a member of the control plane is counted and stored.
	memberLock sync.Mutex
}

// New returns the function that makes the storage of NodeMaintenances from the generic one. Without a quorum the
// control plane is not guarded, and without a fleet no hold is said to wait.
func New(waker Waker, nodes NodeFinder, planner Planner, quorum Quorum, fleet Fleet) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage {
		return &REST{
			REST: generic, waker: waker, nodes: nodes, planner: planner, quorum: quorum, fleet: fleet,
			written: newWrittenVersions(), creationLocks: newCreationLocks(),
		}
	}
}

// List implements rest.Lister. What it returns is encoded once for all who list the same at the same time.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	if shared := r.shared(ctx, options); shared != nil {
		resource.WarnOfUnreadable(ctx, r.DefaultQualifiedResource, shared.NodeMaintenanceList)
		return shared, nil
	}
	listed, err := r.REST.List(ctx, options)
	if err != nil {
		return nil, err
	}
	list, ok := listed.(*v1beta1.NodeMaintenanceList)
	if !ok {
		return nil, fmt.Errorf("could not list the holds: got %T", listed)
	}
	// The library changes an empty list that it is to encode, which only the one request that has it may do.
	if !shareable(options) || len(list.Items) == 0 {
		return list, nil
	}
	return r.lists.join(ctx, options, list), nil
}

// shared returns the list that another request has, if it asks for the same, and the store has not
// changed since; else nil.
func (r *REST) shared(ctx context.Context, options *metainternalversion.ListOptions) *sharedList {
	if !shareable(options) || r.lists.none() {
		return nil
	}
	revision, err := r.Revision(ctx)
	if err != nil {
		return nil // the list itself says what is wrong
	}
	return r.lists.find(ctx, options, strconv.FormatUint(revision, 10))
}

// Create stores a hold and tells its creator about the node and its other holds.
func (r *REST) Create(ctx context.Context, obj runtime.Object, createValidation rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	return r.CreateBeside(ctx, nil, obj, createValidation, options)
}

// CreateBeside is Create with a further check. beside may be nil.
func (r *REST) CreateBeside(ctx context.Context, beside AdmitBeside, obj runtime.Object, createValidation rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	creating := &creation{locks: r.creationLocks, beside: beside}
	defer creating.end()
	stored, err := r.REST.Create(ctx, obj, r.admit(createValidation, creating), options)
	if err != nil {
		return nil, err
	}
	r.wrote(options.DryRun, stored)
	creating.end()
	r.created(ctx, stored, creating, options.DryRun)
	return stored, nil
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return r.UpdateBeside(ctx, nil, name, objInfo, createValidation, updateValidation, forceAllowCreate, options)
}

// UpdateBeside is Update with a further check of a hold that it creates. beside may be nil.
func (r *REST) UpdateBeside(ctx context.Context, beside AdmitBeside, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	creating := &creation{locks: r.creationLocks, beside: beside}
	defer creating.end()
	var before *v1beta1.NodeMaintenance
	stored, created, err := r.REST.Update(ctx, name, rest.WrapUpdatedObjectInfo(objInfo, refuseTooLarge, remember(&before)),
		r.admit(createValidation, creating), updateValidation, forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	r.wrote(options.DryRun, stored)
	creating.end()
	if created {
		r.created(ctx, stored, creating, options.DryRun)
	} else {
		r.updated(ctx, before, stored, options.DryRun)
	}
	return stored, created, nil
}

// remember keeps in old the object that an update is to change.
func remember(old **v1beta1.NodeMaintenance) rest.TransformFunc {
	return func(_ context.Context, obj, stored runtime.Object) (runtime.Object, error) {
		*old, _ = stored.(*v1beta1.NodeMaintenance)
		return obj, nil
	}
}

// updated tells of the drain, and whether it waits, if it is another one than before, and in a dry run always.
func (r *REST) updated(ctx context.Context, before *v1beta1.NodeMaintenance, obj runtime.Object, dryRun []string) {
	hold, ok := obj.(*v1beta1.NodeMaintenance)
	if ok {
		noteBypass(ctx, before, hold)
	}
	if ok && (dryrun.IsDryRun(dryRun) || drainChanged(before, hold)) {
		r.plan(ctx, hold, dryrun.IsDryRun(dryRun))
		r.tellWait(ctx, hold, dryrun.IsDryRun(dryRun))
	}
}

func drainChanged(before, after *v1beta1.NodeMaintenance) bool {
	return before == nil || before.Spec.Stage != after.Spec.Stage || !apiequality.Semantic.DeepEqual(before.Spec.Drain, after.Spec.Drain)
}

func (r *REST) created(ctx context.Context, obj runtime.Object, creating *creation, dryRun []string) {
	noteInAudit(ctx, obj)
	if hold, ok := obj.(*v1beta1.NodeMaintenance); ok {
		noteBypass(ctx, nil, hold)
		r.warnOfMissingNode(ctx, hold)
		warnOfEarlierHolds(ctx, hold.Spec.NodeName, creating.others)
		if creating.warning != "" {
			warning.AddWarning(ctx, "", creating.warning)
		}
		r.plan(ctx, hold, dryrun.IsDryRun(dryRun))
		r.tellWait(ctx, hold, dryrun.IsDryRun(dryRun))
	}
}

// wrote records what was stored and wakes the drainer. After a dry run it does nothing, because nothing
// was stored.
func (r *REST) wrote(dryRun []string, objects ...runtime.Object) {
	if dryrun.IsDryRun(dryRun) {
		return
	}
	for _, obj := range objects {
		if hold, ok := obj.(*v1beta1.NodeMaintenance); ok {
			r.written.add(hold)
			r.waker.Wake(hold.Spec.NodeName)
		}
	}
}
