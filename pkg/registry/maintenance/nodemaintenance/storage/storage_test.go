// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var (
	alice = &user.DefaultInfo{Name: "alice"}
	bob   = &user.DefaultInfo{Name: "bob"}
	// server is this server itself.
	server = &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}}

	dryRun = []string{metav1.DryRunAll}
)

// fakeWaker remembers whom it was told to wake.
type fakeWaker struct {
	mu    sync.Mutex
	nodes []string
}

func (w *fakeWaker) Wake(node string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes = append(w.nodes, node)
}

// woken returns the nodes woken since the last call.
func (w *fakeWaker) woken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	nodes := w.nodes
	w.nodes = nil
	return nodes
}

// fakeNodes are the nodes that exist.
type fakeNodes map[string]bool

func (n fakeNodes) HasNode(name string) bool { return n[name] }

// fakePlanner answers with what it is given, and remembers whether that was to be fresh.
type fakePlanner struct {
	plan *v1beta1.DrainPlanStatus
	err  error

	mu    sync.Mutex
	asked []bool
}

func (p *fakePlanner) Plan(_ context.Context, hold *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error) {
	if hold.Spec.NodeName == "" {
		return nil, errors.New("which node?")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, fresh)
	return p.plan, p.err
}

// testStorage is the storage with its fakes and a user who makes the requests.
type testStorage struct {
	*REST
	waker   *fakeWaker
	planner *fakePlanner
	quorum  *fakeQuorum
	fleet   *fakeFleet
}

func newTestStorage(t *testing.T) *testStorage {
	t.Helper()
	return newTestStorageIn(t, registrytest.RESTOptions(t, v1beta1.Resource("nodemaintenances")))
}

func newTestStorageIn(t *testing.T, options generic.RESTOptions) *testStorage {
	t.Helper()
	waker, planner, quorum, fleet := &fakeWaker{}, &fakePlanner{plan: &v1beta1.DrainPlanStatus{}}, &fakeQuorum{}, &fakeFleet{}
	definition := nodemaintenance.Definition(scheme.Scheme, New(waker, fakeNodes{"worker-1": true, "worker-2": true}, planner, quorum, fleet))
	storages, err := resource.NewStorage(definition, options)
	if err != nil {
		t.Fatal(err)
	}
	storage := storages["nodemaintenances"].(*REST)
	t.Cleanup(storage.Destroy)
	registrytest.WaitUntilReady(t, storage)
	return &testStorage{REST: storage, waker: waker, planner: planner, quorum: quorum, fleet: fleet}
}

// recorder keeps the warnings that a request is answered with.
type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

func requestBy(requester user.Info) (context.Context, *recorder) {
	warnings := &recorder{}
	ctx := genericapirequest.WithUser(genericapirequest.WithNamespace(context.Background(), ""), requester)
	return warning.WithWarningRecorder(ctx, warnings), warnings
}

func newHold(name, node string) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageDrain, Drain: v1beta1.DrainSpec{
			OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
		}},
	}
}

// create creates a hold and returns what was stored and the warnings.
func (s *testStorage) create(t *testing.T, requester user.Info, hold *v1beta1.NodeMaintenance, dryRun ...string) (*v1beta1.NodeMaintenance, []string) {
	t.Helper()
	ctx, got := requestBy(requester)
	obj, err := s.Create(ctx, hold, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dryRun})
	if err != nil {
		t.Fatalf("could not create %s: %v", hold.Name, err)
	}
	return obj.(*v1beta1.NodeMaintenance), got.warnings
}

// update applies a change to the stored hold.
func (s *testStorage) update(t *testing.T, requester user.Info, name string, forceCreate bool, dryRun []string, change func(*v1beta1.NodeMaintenance)) (created bool, warnings []string) {
	t.Helper()
	_, created, warnings = s.apply(t, requester, name, forceCreate, dryRun, change)
	return created, warnings
}

// updateAs applies a change to a hold that exists, and returns the answer.
func (s *testStorage) updateAs(t *testing.T, requester user.Info, name string, dryRun []string, change func(*v1beta1.NodeMaintenance)) (*v1beta1.NodeMaintenance, []string) {
	t.Helper()
	updated, _, warnings := s.apply(t, requester, name, false, dryRun, change)
	return updated, warnings
}

func (s *testStorage) apply(t *testing.T, requester user.Info, name string, forceCreate bool, dryRun []string, change func(*v1beta1.NodeMaintenance)) (*v1beta1.NodeMaintenance, bool, []string) {
	t.Helper()
	ctx, got := requestBy(requester)
	info := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		hold := old.DeepCopyObject().(*v1beta1.NodeMaintenance)
		change(hold)
		return hold, nil
	})
	obj, created, err := s.Update(ctx, name, info, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc,
		forceCreate, &metav1.UpdateOptions{DryRun: dryRun})
	if err != nil {
		t.Fatalf("could not update %s: %v", name, err)
	}
	return obj.(*v1beta1.NodeMaintenance), created, got.warnings
}

// stored returns the hold from the store itself.
func (s *testStorage) stored(t *testing.T, name string) *v1beta1.NodeMaintenance {
	t.Helper()
	ctx, _ := requestBy(alice)
	obj, err := s.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		t.Fatalf("could not get %s: %v", name, err)
	}
	return obj.(*v1beta1.NodeMaintenance)
}

// delete starts a deletion and returns the warnings.
func (s *testStorage) delete(t *testing.T, name string, dryRun ...string) []string {
	t.Helper()
	ctx, got := requestBy(alice)
	obj, gone, err := s.Delete(ctx, name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{DryRun: dryRun})
	if err != nil {
		t.Fatalf("could not delete %s: %v", name, err)
	}
	if hold, ok := obj.(*v1beta1.NodeMaintenance); gone || !ok || hold.DeletionTimestamp == nil {
		t.Errorf("the delete of %s did not wait for the node to be given back: %v", name, obj)
	}
	return got.warnings
}

func (s *testStorage) deleteCollection(t *testing.T, node string, dryRun ...string) []string {
	t.Helper()
	ctx, got := requestBy(alice)
	if _, err := s.DeleteCollection(ctx, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{DryRun: dryRun}, onNode(node)); err != nil {
		t.Fatalf("could not delete the holds on %s: %v", node, err)
	}
	return got.warnings
}

func onNode(node string) *metainternalversion.ListOptions {
	return &metainternalversion.ListOptions{FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldNodeName, node)}
}

func wantStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, diff)
	}
}

// Every write that is stored wakes, and a dry run never does.
func TestWake(t *testing.T) {
	storage := newTestStorage(t)
	relabel := func(hold *v1beta1.NodeMaintenance) { hold.Labels = map[string]string{"a": "b"} }
	fill := func(hold *v1beta1.NodeMaintenance) { *hold = *newHold("applied", "worker-2") }
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"dry-run create", func() { storage.create(t, alice, newHold("a", "worker-1"), dryRun...) }, nil},
		{"create", func() { storage.create(t, alice, newHold("a", "worker-1")) }, []string{"worker-1"}},
		{"dry-run apply that creates", func() { storage.update(t, alice, "applied", true, dryRun, fill) }, nil},
		{"apply that creates", func() { storage.update(t, alice, "applied", true, nil, fill) }, []string{"worker-2"}},
		{"dry-run update", func() { storage.update(t, alice, "a", false, dryRun, relabel) }, nil},
		{"update", func() { storage.update(t, alice, "a", false, nil, relabel) }, []string{"worker-1"}},
		{"dry-run delete", func() { storage.delete(t, "a", dryRun...) }, nil},
		{"delete", func() { storage.delete(t, "a") }, []string{"worker-1"}},
		{"dry-run deletecollection", func() { storage.deleteCollection(t, "worker-2", dryRun...) }, nil},
		{"deletecollection", func() { storage.deleteCollection(t, "worker-2") }, []string{"worker-2"}},
	}
	for _, step := range steps {
		step.do()
		wantStrings(t, "nodes woken by "+step.name, storage.waker.woken(), step.want...)
	}
}

func TestRefusedWritesDoNotWake(t *testing.T) {
	storage := newTestStorage(t)
	ctx, _ := requestBy(alice)
	forged := newHold("forged", "worker-1")
	forged.Spec.Requestor = "bob"
	if _, err := storage.Create(ctx, forged, rest.ValidateAllObjectFunc, &metav1.CreateOptions{}); err == nil {
		t.Error("a forged requestor was accepted")
	}
	if _, _, err := storage.Delete(ctx, "missing", rest.ValidateAllObjectFunc, &metav1.DeleteOptions{}); err == nil {
		t.Error("a hold that does not exist was deleted")
	}
	wantStrings(t, "nodes woken", storage.waker.woken())
}
