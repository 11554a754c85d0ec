// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/registry/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
)

func TestWriteBound(t *testing.T) {
	type write struct {
		after time.Duration
		user  string
		bytes int
		want  time.Duration // to wait; 0: it is taken
	}
	const small, large = 2 << 10, 64 << 10
	tests := map[string][]write{
		"an automation creates its holds at once":   {{user: "a", bytes: 3000 * small}},
		"after that it goes on with 128 per second": {{user: "a", bytes: writeBurstBytes}, {after: time.Second, user: "a", bytes: 128 * small}},
		"large ones, too many":                      {{user: "a", bytes: 128 * large}, {user: "a", bytes: large, want: time.Second / 4}},
		"a refusal takes nothing": {
			{user: "a", bytes: 128 * large},
			{user: "a", bytes: large, want: time.Second / 4},
			{after: time.Second / 4, user: "a", bytes: large},
		},
		"others do not pay":        {{user: "a", bytes: writeBurstBytes}, {user: "b", bytes: writeBurstBytes}},
		"idle users are forgotten": {{user: "a", bytes: writeBurstBytes}, {after: writeBucketLife, user: "a", bytes: writeBurstBytes}},
		"more than a bucket holds": {{user: "a", bytes: 2 * writeBurstBytes}, {after: 32 * time.Second, user: "a", bytes: 2 * writeBurstBytes}},
	}
	for name, writes := range tests {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(time.Now())
			bound := newWriteBound(clock)
			for i, write := range writes {
				clock.SetTime(clock.Now().Add(write.after))
				if got := bound.take(write.user, write.bytes); got != write.want {
					t.Errorf("write %d has to wait %s, want %s", i, got, write.want)
				}
			}
		})
	}
}

// Nobody waits because of a write that is refused at the same time.
func TestRefusedWritesTakeNothingMeanwhile(t *testing.T) {
	bound := newWriteBound(clocktesting.NewFakePassiveClock(time.Now()))
	const small = 20_000
	bound.take("a", writeBurstBytes-small)
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for range small / 4 {
				bound.take("a", writeBurstBytes)
				if wait := bound.take("a", 1); wait > 0 {
					t.Errorf("a write for which there was enough has to wait %s", wait)
					return
				}
			}
		})
	}
	writing.Wait()
}

// A bucket that is full again is not kept.
func TestIdleWritersAreForgotten(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	bound := newWriteBound(clock)
	bound.take("a", 1)
	clock.SetTime(clock.Now().Add(writeBucketLife + time.Second))
	if users := bound.buckets.Keys(); len(users) > 0 {
		t.Errorf("still known: %v", users)
	}
	if refilled := time.Duration(writeBurstBytes/writeBytesPerSecond) * time.Second; refilled >= writeBucketLife {
		t.Errorf("a bucket is forgotten after %s, and full only after %s", writeBucketLife, refilled)
	}
}

// boundedStorage is a storage whose time stands still, with little left to write for alice.
func boundedStorage(t *testing.T, left int) *testStorage {
	t.Helper()
	storage := newTestStorage(t)
	storage.writes = newWriteBound(clocktesting.NewFakePassiveClock(time.Now()))
	storage.create(t, server, newHold("a", "worker-1"))
	if wait := storage.writes.take("alice", writeBurstBytes-left); wait > 0 {
		t.Fatalf("alice waits %s", wait)
	}
	return storage
}

// tryUpdate annotates hold a, and returns what came of it.
func (s *testStorage) tryUpdate(requester user.Info, annotation string, dryRun ...string) error {
	ctx, _ := requestBy(requester)
	info := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		hold := old.DeepCopyObject().(*maintenance.NodeMaintenance)
		hold.Annotations = map[string]string{"written": annotation}
		return hold, nil
	})
	_, _, err := s.Update(ctx, "a", info, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: dryRun})
	return err
}

func (s *testStorage) tryCreateAs(requester user.Info, name string) error {
	ctx, _ := requestBy(requester)
	_, err := s.Create(ctx, newHold(name, "worker-1"), rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	return err
}

// What is stored for a user is paid for, and nothing else.
func TestWhoPaysForWrites(t *testing.T) {
	storage := boundedStorage(t, 0)
	tests := map[string]struct {
		write   func() error
		wantErr bool
	}{
		"create":           {write: func() error { return storage.tryCreateAs(alice, "b") }, wantErr: true},
		"update":           {write: func() error { return storage.tryUpdate(alice, "x") }, wantErr: true},
		"dry-run create":   {write: func() error { return storage.tryCreate("c", "worker-1") }},
		"dry-run update":   {write: func() error { return storage.tryUpdate(alice, "x", dryRun...) }},
		"by another user":  {write: func() error { return storage.tryCreateAs(bob, "d") }},
		"by the server":    {write: func() error { return storage.tryUpdate(server, "y") }},
		"update of a hold": {write: func() error { return storage.tryUpdate(bob, "z") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := test.write()
			if test.wantErr && !apierrors.IsTooManyRequests(err) || !test.wantErr && err != nil {
				t.Errorf("got %v, want an error: %t", err, test.wantErr)
			}
		})
	}
	if err := storage.tryUpdate(bob, "same"); err != nil {
		t.Fatal(err)
	}
	if err := storage.tryUpdate(alice, "same"); err != nil {
		t.Errorf("a write of what is stored already: %v", err)
	}
	storage.delete(t, "a")
}

func TestRefusalOfTooManyBytes(t *testing.T) {
	storage := boundedStorage(t, 0)
	err := storage.tryUpdate(alice, strings.Repeat("x", 20_000))
	if seconds, ok := apierrors.SuggestsClientDelay(err); !ok || seconds != 1 {
		t.Errorf("the client is told to wait %d seconds, %t", seconds, ok)
	}
	for _, want := range []string{
		`nodemaintenances.maintenance.medik8s.io "a" was not written: it has 2`, `user "alice" has written too many`,
		"each user may write 8 MiB at once, and 256 KiB per second after that; try again in 1 second",
	} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A write that is tried again within its request is paid once.
func TestRepeatedWriteIsPaidOnce(t *testing.T) {
	bound := newWriteBound(clocktesting.NewFakePassiveClock(time.Now()))
	ctx, _ := requestBy(alice)
	bill := (&REST{writes: bound}).newBill(ctx, nil)
	hold := newHold("a", "worker-1")
	size, err := validation.Size(hold)
	if err != nil {
		t.Fatal(err)
	}
	bound.take("alice", writeBurstBytes-size)
	for range 3 {
		if err := bill.update(rest.ValidateAllObjectUpdateFunc)(ctx, hold, newHold("b", "worker-1")); err != nil {
			t.Fatalf("refused: %v", err)
		}
	}
	hold.Spec.Reason = "larger than at the first try"
	if err := bill.create(rest.ValidateAllObjectFunc)(ctx, hold); !apierrors.IsTooManyRequests(err) {
		t.Errorf("got %v, want what is more than before to be paid", err)
	}
}
