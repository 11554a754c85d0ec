// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// fakeMembers answer with their status, or not at all.
type fakeMembers map[string]*clientv3.StatusResponse

func (f fakeMembers) Status(_ context.Context, endpoint string) (*clientv3.StatusResponse, error) {
	if status := f[endpoint]; status != nil {
		return status, nil
	}
	return nil, errors.New("no answer")
}

func member(used, quota int64, errs ...string) *clientv3.StatusResponse {
	return &clientv3.StatusResponse{DbSize: 2 * quota, DbSizeInUse: used, DbSizeQuota: quota, Errors: errs}
}

func spaceOf(members fakeMembers) *Space {
	return &Space{
		members: members, names: []string{"a", "b"}, advice: "do something", interval: time.Second,
		clock: clocktesting.NewFakeClock(time.Now()),
	}
}

func TestCheckSpace(t *testing.T) {
	const noSpace = "memberID:1 alarm:NOSPACE "
	tests := map[string]struct {
		members fakeMembers
		want    string // empty: there is space
	}{
		"empty":      {members: fakeMembers{"a": member(0, 100)}},
		"just below": {members: fakeMembers{"a": member(799, 1000)}},
		"nearly full": {members: fakeMembers{"a": member(1717986919, 2<<30)}, want: "the store is nearly full: " +
			"1.6 GiB of 2.0 GiB (80%) are in use, and from 80% on nothing new is stored: do something"},
		"a smaller quota than use": {members: fakeMembers{"a": member(3<<30, 2<<30)}, want: "3.0 GiB of 2.0 GiB (150%)"},
		"the second member":        {members: fakeMembers{"a": member(10, 100), "b": member(90, 100)}, want: "90 B of 100 B"},
		"the first member":         {members: fakeMembers{"a": member(90, 100), "b": member(10, 100)}, want: "90 B of 100 B"},
		"one member is away":       {members: fakeMembers{"b": member(90, 100)}, want: "90 B of 100 B"},
		"an alarm": {members: fakeMembers{"a": member(85, 100), "b": member(10, 100, noSpace)}, want: "the store is full: " +
			"etcd takes no writes since its alarm NOSPACE: do something"},
		"another error":    {members: fakeMembers{"a": member(10, 100, "etcdserver: no leader")}},
		"no quota is told": {members: fakeMembers{"a": member(1<<40, 0)}},
		"no quota is set":  {members: fakeMembers{"a": member(1<<40, -1)}},
		"nobody answers":   {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			space := spaceOf(test.members)
			space.note(t.Context(), space.measure(t.Context()))
			err := space.CheckSpace()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("CheckSpace = %v, want %q", err, test.want)
			}
		})
	}
}

// What this server stores in the cluster has a quota of its own. Before anything is refused, it is counted anew.
func TestSpaceInTheCluster(t *testing.T) {
	lists := map[schema.GroupVersionResource]string{}
	for _, resource := range clusterstore.Resources() {
		kind, err := clusterstore.KindOf(resource)
		if err != nil {
			t.Fatal(err)
		}
		lists[kind.GVR()] = kind.Name + "List"
	}
	kind, err := clusterstore.KindOf(clusterstore.Resources()[0])
	if err != nil {
		t.Fatal(err)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	stored := clusterstore.Envelope{Name: "a", Data: bytes.Repeat([]byte("x"), 900)}.Encode(kind)
	if err := client.Tracker().Create(kind.GVR(), stored, ""); err != nil {
		t.Fatal(err)
	}
	in := clusterSpace{Sizes: &clusterstore.Sizes{}, client: client, quota: 1000}
	space := &Space{members: in, names: []string{"cluster"}, advice: adviceCluster, reclaim: in.reclaim, clock: clocktesting.NewFakeClock(time.Now())}
	check := func() error {
		space.freeSpace(t.Context(), time.Time{})
		space.note(t.Context(), space.measure(t.Context()))
		return space.CheckSpace()
	}
	if err := check(); err != nil {
		t.Errorf("nothing was seen yet, and the store is nearly full: %v", err)
	}
	if err := in.Recount(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	const want = "900 B of 1000 B (90%) are in use, and from 80% on nothing new is stored: " + adviceCluster
	if err := check(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := client.Tracker().Delete(kind.GVR(), "", "a"); err != nil {
		t.Fatal(err)
	}
	if err := check(); err != nil {
		t.Errorf("everything is deleted, and the store is nearly full: %v", err)
	}
}

// The store is measured at once and then at each interval, and room is made before that. What was
// measured is forgotten when etcd no longer answers.
func TestMeasuring(t *testing.T) {
	members := fakeMembers{"a": member(90, 100)}
	space, clock := spaceOf(members), clocktesting.NewFakeClock(time.Now())
	space.clock = clock
	rounds := make(chan error)
	space.reclaim = func(context.Context, bool) (bool, error) { return false, <-rounds }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		space.run(ctx)
	}()
	next := func(what string, full bool) {
		t.Helper()
		check := func(context.Context) (bool, error) { return (space.CheckSpace() != nil) == full, nil }
		if err := wait.PollUntilContextTimeout(ctx, time.Millisecond, time.Minute, true, check); err != nil {
			t.Fatalf("%s: CheckSpace = %v, want full %t", what, space.CheckSpace(), full)
		}
	}
	next("before it was measured", false)
	rounds <- nil
	next("at once", true)
	members["a"] = member(10, 100)
	clock.Step(space.interval)
	rounds <- errors.New("could not make room")
	next("later", false)
	members["a"] = member(90, 100)
	clock.Step(space.interval)
	rounds <- nil
	next("again", true)
	delete(members, "a")
	clock.Step(space.interval)
	rounds <- nil
	next("without an answer", false)
	stop()
	<-ended
}

// Freeing space keeps requests waiting, so a store that needs more than there is must not be busy with it.
func TestFreeingSpaceIsPaced(t *testing.T) {
	tests := map[string]struct {
		tried    bool
		took     time.Duration
		wantWait time.Duration
	}{
		"nothing to do": {},
		"done quickly":  {tried: true, took: time.Second, wantWait: leastReclaimPause},
		"done slowly":   {tried: true, took: 10 * time.Second, wantWait: 200 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			space, clock := spaceOf(nil), clocktesting.NewFakeClock(time.Now())
			space.clock = clock
			var try bool
			space.reclaim = func(_ context.Context, may bool) (bool, error) {
				clock.Step(test.took)
				try = may
				return test.tried && may, errors.New("no space left on device")
			}
			next := space.freeSpace(t.Context(), clock.Now())
			if wait := next.Sub(clock.Now()); !try || wait != test.wantWait {
				t.Errorf("may requests wait: %t, and the next try is %s later, want true and %s", try, wait, test.wantWait)
			}
			again := space.freeSpace(t.Context(), next)
			if wantTry := test.wantWait == 0; try != wantTry || !again.Equal(next) {
				t.Errorf("may requests wait in the pause: %t, which ends at %s, want %t and %s", try, again, wantTry, next)
			}
		})
	}
}

// Both kinds of store tell how full they are, and have space again when what was deleted is compacted.
func TestSpaceOfARealStore(t *testing.T) {
	config := testConfig(t, 16<<20)
	own, err := openEmbedded(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	other, err := openExternal(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	stopMeasuring(own)
	stopMeasuring(other)

	wantSpace := func(space bool) {
		t.Helper()
		for what, st := range map[string]*Store{"--embedded-etcd-quota-bytes": own, "--quota-backend-bytes": other} {
			measured := st.kind.(*etcdStore).space
			usage := measured.measure(t.Context())
			for usage == nil { // etcd did not answer in time
				usage = measured.measure(t.Context())
			}
			measured.note(t.Context(), usage)
			err := st.Space.CheckSpace()
			if space && err != nil || !space && (err == nil || !strings.Contains(err.Error(), "of 16 MiB") || !strings.Contains(err.Error(), what)) {
				t.Errorf("CheckSpace = %v, want space %t, else the size and %s", err, space, what)
			}
		}
	}
	wantSpace(true)
	value := strings.Repeat("x", 16<<10)
	for i := 0; !own.kind.(*etcdStore).space.measure(t.Context()).nearlyFull(); i++ {
		if _, err := other.kind.(*etcdStore).client.Put(t.Context(), "key", value); err != nil {
			t.Fatalf("the store was full at write %d and not nearly full before: %v", i, err)
		}
	}
	wantSpace(false)
	deleted, err := other.kind.(*etcdStore).client.Delete(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.kind.(*etcdStore).client.Compact(t.Context(), deleted.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	wantSpace(true)
}

// stopMeasuring has a store neither measured nor compacted by itself.
func stopMeasuring(st *Store) {
	kind := st.kind.(*etcdStore)
	kind.stop()
	kind.measuring.Wait()
}
