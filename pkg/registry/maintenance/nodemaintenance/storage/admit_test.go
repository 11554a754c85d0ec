// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// tryCreate creates a hold of alice's in a dry run, which is admitted like any other.
func (s *testStorage) tryCreate(name, node string) error {
	ctx, _ := requestBy(alice)
	_, err := s.Create(ctx, newHold(name, node), rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dryRun})
	return err
}

func TestNamesAreKeptForTheirNodes(t *testing.T) {
	storage := newTestStorage(t)
	bobs := v1beta1.HoldName("worker-1", "bob")
	tests := map[string]struct {
		name, node string
		kept       bool
	}{
		"any name":                            {name: "disk", node: "worker-1"},
		"the node's name":                     {name: "worker-1", node: "worker-1"},
		"the name that POST would give":       {name: v1beta1.HoldName("worker-1", "alice"), node: "worker-1"},
		"another's on the node":               {name: bobs, node: "worker-1", kept: true},
		"another's on another node":           {name: bobs, node: "worker-2", kept: true},
		"one's own on another node":           {name: v1beta1.HoldName("worker-1", "alice"), node: "worker-2", kept: true},
		"another's on a node that is absent":  {name: v1beta1.HoldName("absent", "bob"), node: "worker-1", kept: true},
		"another's on the absent node itself": {name: v1beta1.HoldName("absent", "bob"), node: "absent", kept: true},
		"one's own on a node that is absent":  {name: v1beta1.HoldName("absent", "alice"), node: "absent"},
		"the name of an earlier version":      {name: nodemaintenance.FormerHoldName("worker-1", "bob"), node: "worker-1"},
		"fewer digits than such a name":       {name: "disk-0123abcd", node: "worker-1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := storage.tryCreate(test.name, test.node)
			switch {
			case !test.kept && err != nil:
				t.Errorf("refused: %v", err)
			case test.kept && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "metadata.name: Invalid value")):
				t.Errorf("got %v, want a 422 for metadata.name", err)
			}
		})
	}
}

func TestHoldsOfOneRequestorAreBounded(t *testing.T) {
	storage := newTestStorage(t)
	for i := range maxHoldsOfRequestor {
		storage.create(t, alice, newHold(fmt.Sprintf("a-%d", i), "worker-1"))
	}
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return apierrors.IsForbidden(storage.tryCreate("one-more", "worker-1")), nil
	})
	if err != nil {
		t.Fatal("one more than the most was never refused")
	}
	if err := storage.tryCreate("elsewhere", "worker-2"); err != nil {
		t.Errorf("refused on another node: %v", err)
	}
	storage.create(t, bob, newHold("bobs", "worker-1"))
	ctx, _ := requestBy(alice)
	fill := rest.DefaultUpdatedObjectInfo(newHold("applied", "worker-1"))
	_, _, err = storage.Update(ctx, "applied", fill, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{DryRun: dryRun})
	if !apierrors.IsForbidden(err) {
		t.Errorf("an apply that creates: got %v, want it refused", err)
	}
}

// All requestors together are bounded, too, exactly, and each of them is below the own bound.
func TestHoldsOfANodeAreBounded(t *testing.T) {
	storage := newTestStorage(t)
	create := func(i int) error {
		ctx, _ := requestBy(&user.DefaultInfo{Name: fmt.Sprint("user-", i%16)})
		hold := newHold(fmt.Sprint("a-", i), "worker-1")
		hold.Spec.Stage = v1beta1.StageIdle
		_, err := storage.Create(ctx, hold, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
		return err
	}
	var creating sync.WaitGroup
	var created atomic.Int32
	for i := range maxHoldsOfNode + 16 {
		creating.Go(func() {
			if create(i) == nil {
				created.Add(1)
			}
		})
	}
	creating.Wait()
	if got := created.Load(); got != maxHoldsOfNode {
		t.Errorf("%d creates succeeded, want %d", got, maxHoldsOfNode)
	}
	const want = `all users together have 256 NodeMaintenances for node "worker-1", and may have 256: one of them must end first`
	if err := storage.tryCreate("one-more", "worker-1"); !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want a 403 that says %s", err, want)
	}
	if err := storage.tryCreate("elsewhere", "worker-2"); err != nil {
		t.Errorf("refused on another node: %v", err)
	}
}

// The limit is exact: of many creates and applies at the same time, as many get through as there may be.
func TestHoldsCreatedAtOnceAreBounded(t *testing.T) {
	storage := newTestStorage(t)
	var creating sync.WaitGroup
	var created atomic.Int32
	for i := range 3 * maxHoldsOfRequestor {
		creating.Go(func() {
			if storage.createOrApply(fmt.Sprintf("a-%d", i), i%2 == 0) == nil {
				created.Add(1)
			}
		})
	}
	creating.Wait()
	holds, err := storage.HoldsOn(t.Context(), "worker-1")
	if err != nil {
		t.Fatal(err)
	}
	if len(holds.Items) != maxHoldsOfRequestor || created.Load() != maxHoldsOfRequestor {
		t.Errorf("got %d holds, and %d creates succeeded, want %d", len(holds.Items), created.Load(), maxHoldsOfRequestor)
	}
}

// createOrApply makes a hold of alice's on worker-1.
func (s *testStorage) createOrApply(name string, apply bool) error {
	ctx, _ := requestBy(alice)
	hold := newHold(name, "worker-1")
	hold.Spec.Stage = v1beta1.StageCordon
	if !apply {
		_, err := s.Create(ctx, hold, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
		return err
	}
	_, _, err := s.Update(ctx, name, rest.DefaultUpdatedObjectInfo(hold),
		rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
	return err
}

// The size is told, and not what is wrong with each of the labels.
func TestTooLargeUpdateIsRefusedAtOnce(t *testing.T) {
	storage := newTestStorage(t)
	storage.create(t, alice, newHold("a", "worker-1"))
	info := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		hold := old.DeepCopyObject().(*v1beta1.NodeMaintenance)
		hold.Labels = map[string]string{}
		for i := range 100_000 {
			hold.Labels[fmt.Sprintf("-%d", i)] = ""
		}
		return hold, nil
	})
	ctx, _ := requestBy(alice)
	_, _, err := storage.Update(ctx, "a", info, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	if !apierrors.IsInvalid(err) || !strings.HasSuffix(err.Error(), "metadata: Too long: may not be more than 32768 bytes") {
		t.Errorf("got %.200v, want the size alone", err)
	}
}

// A hold that is larger than new ones may be can be made smaller and deleted, and the server can end it.
func TestTooLargeHoldCanEnd(t *testing.T) {
	storage := newTestStorage(t)
	storage.create(t, alice, newHold("a", "worker-1"))
	storage.update(t, server, "a", false, nil, annotate(200_000))

	storage.update(t, alice, "a", false, nil, annotate(199_999))
	storage.delete(t, "a")
	storage.update(t, server, "a", false, nil, func(hold *v1beta1.NodeMaintenance) {
		annotate(200_001)(hold)
		hold.Finalizers = nil
	})
	ctx, _ := requestBy(alice)
	if _, err := storage.Get(ctx, "a", &metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want the hold gone", err)
	}
}

// annotate gives a hold an annotation of so many bytes.
func annotate(bytes int) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) {
		hold.Annotations = map[string]string{"large": strings.Repeat("x", bytes)}
	}
}
