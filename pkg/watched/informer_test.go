// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package watched

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// server is an API server with policies.
type server struct {
	items  []v1beta1.MaintenancePolicy
	broken atomic.Bool // the informer asks whenever it likes
	events *watch.FakeWatcher
}

var errBroken = errors.New("no route to host")

func (s *server) List(context.Context, metav1.ListOptions) (*v1beta1.MaintenancePolicyList, error) {
	if s.broken.Load() {
		return nil, errBroken
	}
	return &v1beta1.MaintenancePolicyList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: s.items}, nil
}

func (s *server) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	if s.broken.Load() {
		return nil, errBroken
	}
	s.events = watch.NewFake()
	return s.events, nil
}

// IsWatchListSemanticsUnSupported says that a watch cannot begin with a list.
func (s *server) IsWatchListSemanticsUnSupported() bool { return true }

// inBubble runs a test with an informer that watches the server.
func inBubble(t *testing.T, s *server, test func(t *testing.T, i *Informer)) {
	synctest.Test(t, func(t *testing.T) {
		i := New(Config{By: "test", Resource: "maintenancepolicies", Clients: s, Kind: "MaintenancePolicy"}, s, &v1beta1.MaintenancePolicy{})
		// The library's handler waits until it is as late as it was when the process began, before the bubble's time.
		if err := i.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			i.RunWithContext(ctx)
		}()
		synctest.Wait()
		test(t, i)
		stop()
		<-ended
		wantMetric(t, "maintenance_cache_last_told_timestamp_seconds", "") // it watches no more
	})
}

func policy(name, version, why string) *v1beta1.MaintenancePolicy {
	policy := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}
	if why != "" {
		policy.Annotations = map[string]string{v1beta1.UnreadableAnnotation: why}
	}
	return policy
}

func wantMetric(t *testing.T, name, want string) {
	t.Helper()
	if want != "" {
		want = "# HELP " + name + " " + helpOf[name] + "\n# TYPE " + name + " gauge\n" + want + "\n"
	}
	if err := testutil.GatherAndCompare(legacyregistry.DefaultGatherer, strings.NewReader(want), name); err != nil {
		t.Error(err)
	}
}

var helpOf = map[string]string{
	"maintenance_store_unreadable_objects": "[ALPHA] Stored objects that the server cannot read, and for which it does nothing.",
}

// An age is that of the last thing that the server has told: neither a watch that hangs, nor one that is refused or ends each
// time, makes a cache younger.
func TestAge(t *testing.T) {
	s := &server{}
	inBubble(t, s, func(t *testing.T, i *Informer) {
		wantAge := func(want time.Duration) {
			t.Helper()
			synctest.Wait()
			if age := i.Age(); age != want {
				t.Errorf("the cache is %s old, want %s", age, want)
			}
		}
		wantAge(0)
		time.Sleep(3 * time.Minute)
		wantAge(3 * time.Minute)
		s.events.Action(watch.Bookmark, policy("", "2", ""))
		wantAge(0)
		time.Sleep(time.Minute)
		s.events.Add(policy("a", "3", ""))
		wantAge(0)

		s.broken.Store(true)
		s.events.Action(watch.Error, &metav1.Status{Reason: metav1.StatusReasonExpired, Code: 410})
		time.Sleep(time.Hour)
		wantAge(time.Hour)
		s.broken.Store(false)
		time.Sleep(time.Minute) // it tries again within that time
		if age := i.Age(); age > time.Minute {
			t.Errorf("the cache is %s old, although the server answers again", age)
		}
	})
}

// What cannot be read is counted and told by name, until it is repaired or gone, or nobody watches any more.
func TestUnreadable(t *testing.T) {
	s := &server{items: []v1beta1.MaintenancePolicy{*policy("a", "1", "bits flipped"), *policy("b", "1", "")}}
	const metric = "maintenance_store_unreadable_objects"
	wantCount := func(t *testing.T, want string) {
		t.Helper()
		synctest.Wait()
		wantMetric(t, metric, metric+`{resource="maintenancepolicies"} `+want)
	}
	inBubble(t, s, func(t *testing.T, _ *Informer) {
		wantCount(t, "1")
		recorder := record.NewFakeRecorder(10)
		unreadable.tellThrough(recorder)
		s.events.Modify(policy("b", "2", "no JSON"))
		wantCount(t, "2")
		s.events.Modify(policy("b", "3", "no JSON"))
		s.events.Modify(policy("a", "4", ""))
		wantCount(t, "1")
		unreadable.tellThrough(nil)
		s.events.Add(policy("c", "5", "no key"))
		wantCount(t, "2")
		s.events.Delete(policy("b", "6", "no JSON"))
		wantCount(t, "1")
		close(recorder.Events)
		var told []string
		for event := range recorder.Events {
			told = append(told, event)
		}
		if len(told) != 2 || !strings.HasSuffix(told[0], ": bits flipped") || !strings.HasSuffix(told[1], ": no JSON") {
			t.Errorf("events %q, want one for what was known and one for what came", told)
		}
	})
	wantMetric(t, metric, metric+`{resource="maintenancepolicies"} 0`)
}
