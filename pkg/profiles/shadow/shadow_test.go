// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

func lease(holder string, renewed time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "sap", Name: LeaseName},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](15), RenewTime: ptr.To(metav1.NewMicroTime(renewed)),
		},
	}
}

// run runs a Shadow with a Lease in a bubble of its own time.
func run(t *testing.T, stored *coordinationv1.Lease, test func(t *testing.T, s *Shadow, client *fake.Clientset, told *atomic.Int32)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		if stored != nil {
			client = fake.NewClientset(stored)
		}
		s := New(Config{Kube: client, Namespace: "sap"})
		var told atomic.Int32
		s.Follow(func() { told.Add(1) })
		if why := s.Why("worker-1"); why != notKnown {
			t.Errorf("%q before it has looked, want that it is not known", why)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Run(ctx)
		}()
		time.Sleep(time.Second)
		synctest.Wait()
		test(t, s, client, &told)
		stop()
		<-ended
	})
}

func want(t *testing.T, s *Shadow, why string) {
	t.Helper()
	synctest.Wait()
	if got := s.Why("worker-1"); (got != "") != (why != "") || !strings.Contains(got, why) {
		t.Errorf("got %q, want %q", got, why)
	}
}

func TestNoLease(t *testing.T) {
	run(t, nil, func(t *testing.T, s *Shadow, _ *fake.Clientset, told *atomic.Int32) {
		want(t, s, "")
		if told.Load() != 1 {
			t.Errorf("told %d times, want once, when it was known", told.Load())
		}
	})
}

// That the Lease was read is not enough: what it says must have been taken notice of.
func TestLeaseThatIsOnlyRead(t *testing.T) {
	client := fake.NewClientset(lease("pod-1", time.Now()))
	answer, asked := make(chan struct{}), make(chan struct{}, 10)
	client.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked <- struct{}{}
		<-answer
		return false, nil, nil
	})
	s := New(Config{Kube: client, Namespace: "sap"})
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer running.Wait()
	defer stop()
	running.Go(func() { s.Run(ctx) })
	<-asked
	s.mu.Lock() // what takes notice of the Lease waits for it
	defer s.mu.Unlock()
	close(answer)
	if !cache.WaitForCacheSync(t.Context().Done(), s.leases.HasSynced) || s.heard() {
		t.Error("the Lease counts before anybody has taken notice of it")
	}
}

func TestRenewedLease(t *testing.T) {
	// The clock of the controller is an hour behind.
	run(t, lease("pod-1", time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC)), func(t *testing.T, s *Shadow, client *fake.Clientset, told *atomic.Int32) {
		want(t, s, "pod-1 has the Lease sap/"+LeaseName)
		time.Sleep(10 * time.Second)
		if _, err := client.CoordinationV1().Leases("sap").Update(t.Context(), lease("pod-1", time.Now()), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		want(t, s, "pod-1 has the Lease")
		before := told.Load()
		time.Sleep(10 * time.Second)
		want(t, s, "")
		if told.Load() != before+1 {
			t.Errorf("told %d times that the Lease has run out, want once", told.Load()-before)
		}
	})
}

func TestReleasedLease(t *testing.T) {
	run(t, lease("pod-1", time.Now()), func(t *testing.T, s *Shadow, client *fake.Clientset, _ *atomic.Int32) {
		want(t, s, "pod-1 has the Lease")
		if _, err := client.CoordinationV1().Leases("sap").Update(t.Context(), lease("", time.Now()), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		want(t, s, "")
	})
}

func TestWritten(t *testing.T) {
	run(t, nil, func(t *testing.T, s *Shadow, _ *fake.Clientset, told *atomic.Int32) {
		s.Written("worker-1", "manager", time.Now())
		want(t, s, "manager has written its state on node worker-1")
		for _, other := range []string{"worker-2", ""} {
			if why := s.Why(other); why != "" {
				t.Errorf("node %q is in the shadow, too: %s", other, why)
			}
		}
		time.Sleep(14 * time.Minute)
		want(t, s, "worker-1")
		before := told.Load()
		time.Sleep(2 * time.Minute)
		want(t, s, "")
		if told.Load() != before+1 {
			t.Errorf("told %d times that it is over, want once", told.Load()-before)
		}
	})
}
