// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fakeQuorum has any number of members, and lets the rest of them be held.
type fakeQuorum struct {
	members []string
	needed  int
	err     error
}

func (q *fakeQuorum) Members(node string) []string {
	if !slices.Contains(q.members, node) {
		return nil
	}
	return q.members
}

func (q *fakeQuorum) Check(_ context.Context, node string, override bool, annotations, held map[string]string) (bool, string, error) {
	out := maps.Clone(held)
	delete(out, node)
	left := len(q.members) - len(out) - 1
	said := fmt.Sprintf("%d of %d would stay: %v", left, len(q.members), out)
	switch {
	case q.err != nil:
		return false, "", q.err
	case override:
		return true, said, nil
	case left < q.needed && held[node] == "" && annotations[v1beta1.ImportedAnnotation] == "":
		return false, said, nil
	default:
		return true, "", nil
	}
}

// guarded has a control plane of so many members, cp-0 and so on.
func guarded(t *testing.T, members, needed int) *testStorage {
	storage := newTestStorage(t)
	storage.quorum.needed = needed
	for i := range members {
		storage.quorum.members = append(storage.quorum.members, fmt.Sprintf("cp-%d", i))
	}
	return storage
}

func TestHoldThatTheQuorumRefuses(t *testing.T) {
	storage := guarded(t, 3, 2)
	storage.create(t, alice, newHold("first", "cp-0"))
	err := storage.tryCreate("second", "cp-1")
	const want = `1 of 3 would stay: map[cp-0:"first" of "alice"]`
	if !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), want) {
		t.Fatalf("got %v, want a 403 that says %s", err, want)
	}
	var refusal *apierrors.StatusError
	cause := metav1.StatusCause{Type: v1beta1.ReasonControlPlaneQuorum, Message: want, Field: "spec.nodeName"}
	if !errors.As(err, &refusal) || !slices.Contains(refusal.ErrStatus.Details.Causes, cause) {
		t.Errorf("the causes are %+v, want %+v", refusal.ErrStatus.Details.Causes, cause)
	}
	if got := storage.waker.woken(); !slices.Equal(got, []string{"cp-0"}) {
		t.Errorf("%v were woken, want cp-0 alone", got)
	}
}

func TestHoldsThatTheQuorumLetsPass(t *testing.T) {
	idle := func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageIdle }
	overriding := func(h *v1beta1.NodeMaintenance) { h.Spec.OverrideQuorum = true }
	importing := func(h *v1beta1.NodeMaintenance) {
		const from = `{"apiVersion":"a/v1","name":"m","uid":"u","creationTime":"2026-01-02T03:00:00Z"}`
		h.Annotations = map[string]string{v1beta1.ImportedAnnotation: from}
	}
	tests := map[string]struct {
		first, second func(*v1beta1.NodeMaintenance)
		end           bool
		node          string
		wantWarning   string
	}{
		"the first is idle":      {first: idle, node: "cp-1"},
		"the second is idle":     {second: idle, node: "cp-1"},
		"the first is ending":    {end: true, node: "cp-1"},
		"the second on one node": {node: "cp-0"},
		"another node":           {node: "worker-1"},
		"the second is imported": {second: importing, node: "cp-1"},
		"another node, overriding": {
			second: overriding, node: "worker-1",
		},
		"the second overrides": {
			second: overriding, node: "cp-1",
			wantWarning: `1 of 3 would stay: map[cp-0:"first" of "alice"]`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			storage := guarded(t, 3, 2)
			first, second := newHold("first", "cp-0"), newHold("second", test.node)
			for hold, change := range map[*v1beta1.NodeMaintenance]func(*v1beta1.NodeMaintenance){first: test.first, second: test.second} {
				if change != nil {
					change(hold)
				}
			}
			storage.create(t, alice, first)
			if test.end {
				storage.delete(t, "first")
			}
			_, warnings := storage.create(t, bob, second)
			if got := slices.Contains(warnings, test.wantWarning); got != (test.wantWarning != "") {
				t.Errorf("the warnings are %q, want %q", warnings, test.wantWarning)
			}
		})
	}
}

// Where the quorum is not known, nothing is stored.
func TestQuorumThatIsNotKnown(t *testing.T) {
	storage := guarded(t, 3, 2)
	storage.quorum.err = errors.New("no route to etcd")
	if err := storage.tryCreate("first", "cp-0"); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "try again: no route to etcd") {
		t.Errorf("got %v, want a 500", err)
	}
	if err := storage.tryCreate("first", "worker-1"); err != nil {
		t.Errorf("another node: %v", err)
	}
}

// Of twenty creates at once, some of them applies and all for other nodes, as many pass as the quorum allows.
func TestTwentyMembersHeldAtOnce(t *testing.T) {
	storage := guarded(t, 20, 11)
	var creating sync.WaitGroup
	var created atomic.Int32
	for i := range 20 {
		creating.Go(func() {
			ctx, _ := requestBy(alice)
			hold := newHold(fmt.Sprint("hold-", i), fmt.Sprint("cp-", i))
			var err error
			if i%2 == 0 {
				_, err = storage.Create(ctx, hold, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
			} else {
				_, _, err = storage.Update(ctx, hold.Name, rest.DefaultUpdatedObjectInfo(hold),
					rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
			}
			switch {
			case err == nil:
				created.Add(1)
			case !apierrors.IsForbidden(err):
				t.Errorf("%s: %v", hold.Name, err)
			}
		})
	}
	creating.Wait()
	if got := created.Load(); got != 9 {
		t.Errorf("%d creates succeeded, want 9", got)
	}
	if err := storage.tryCreate("elsewhere", "worker-1"); err != nil {
		t.Errorf("another node: %v", err)
	}
}

// A create that is refused after it was counted leaves the way free.
func TestRefusedCreateLetsTheNextBegin(t *testing.T) {
	storage := guarded(t, 3, 2)
	storage.create(t, alice, newHold("first", "cp-0"))
	ctx, _ := requestBy(alice)
	taken := newHold("first", "cp-0") // it passes the quorum, and its name is taken
	if _, err := storage.Create(ctx, taken, rest.ValidateAllObjectFunc, &metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("got %v, want a 409", err)
	}
	storage.create(t, bob, newHold("second", "cp-0"))
}
