// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A process that begins to lead may not have heard of the last that the former leader did.
func TestNewLeaderKnowsWhatTheFormerOneDid(t *testing.T) {
	const behind = 20 * time.Second
	synctest.Test(t, func(t *testing.T) {
		var lag time.Duration // changes only while the watches have delivered everything
		c := &cluster{t: t, recorder: record.NewFakeRecorder(10000)}
		c.Server = drainertest.NewServer(drainertest.Hooks{Lag: func(int) time.Duration { return lag }})
		c.config = Config{
			Maintenance: c.Maintenance, Kube: c.Kube, Evictions: typedEvicter{client: c.Kube},
			Recorder: c.recorder, StoreID: drainertest.StoreID,
		}
		c.Add(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
			drainertest.Node{Name: "worker-2"}.Object(), drainertest.Pod{Name: "db-1", Node: "worker-2"}.Object())
		c.start()
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.finish("web-1")
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)

		next, err := New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { next.Watch(ctx) })
		c.settle()
		c.stop()

		lag = behind
		c.Remove(c.hold("a"))
		c.Replace(drainertest.Node{}.Object())
		c.Add(drainertest.Pod{Name: "web-2"}.Object(), drainertest.Hold{Name: "b", Node: "worker-2"}.Object())
		c.drainer = next
		end := c.lead()
		defer end()
		c.wait(behind / 2)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0, "db-1": 0})
		if next.leading.Load() != nil {
			t.Error("it leads while its caches are behind")
		}
		c.wait(behind)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0, "db-1": 1})
	})
}

// A leader whose caches show everything begins at once, also when nothing changes and no bookmark comes, and
// begins later when it cannot ask.
func TestNewLeaderBeginsAtOnce(t *testing.T) {
	for name, failures := range map[string]int{"the API server answers": 0, "two lists fail": 2} {
		t.Run(name, func(t *testing.T) {
			inWatched(t, func(c *cluster) {
				c.Remove(drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", "gone")) // the last version is one of no object
				c.settle()
				c.Kube.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
					failures--
					return failures >= 0, nil, drainertest.ServerDown()
				})
				began, want := time.Now(), time.Duration(failures)*clusterwatch.CatchUpList
				ctx, cancel := context.WithCancel(context.Background())
				var leading sync.WaitGroup
				leading.Go(func() { _ = c.drainer.Lead(ctx) })
				for ; c.drainer.leading.Load() == nil; time.Sleep(time.Millisecond) {
					if time.Since(began) > want+time.Minute {
						t.Fatal("it does not lead")
					}
				}
				if took := time.Since(began); took < want || took > want+clusterwatch.CatchUpLook {
					t.Errorf("it leads after %s, want %s", took, want)
				}
				cancel()
				leading.Wait()
			}, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}.Object(),
				drainertest.Hold{Name: "gone", Stage: v1beta1.StageIdle}.Object())
		})
	}
}

// A cache shows what a list shows if it has something newer, or the same, however new the version of the list is.
func TestCacheShowsList(t *testing.T) {
	for name, test := range map[string]struct {
		cached, listed map[string]string // versions by name
		want           bool
	}{
		"nothing":                     {want: true},
		"the same":                    {cached: map[string]string{"a": "7"}, listed: map[string]string{"a": "7"}, want: true},
		"older":                       {cached: map[string]string{"a": "7"}, listed: map[string]string{"a": "12"}},
		"changed since":               {cached: map[string]string{"a": "102"}, listed: map[string]string{"a": "12"}, want: true},
		"created since":               {cached: map[string]string{"a": "7", "b": "102"}, listed: map[string]string{"a": "7"}, want: true},
		"deleted before":              {cached: map[string]string{"a": "7", "b": "9"}, listed: map[string]string{"a": "7"}},
		"one missing":                 {cached: map[string]string{"a": "7"}, listed: map[string]string{"a": "7", "b": "9"}},
		"as many, but not the same":   {cached: map[string]string{"a": "7", "c": "8"}, listed: map[string]string{"a": "7", "b": "9"}},
		"versions that have no order": {cached: map[string]string{"a": "x"}, listed: map[string]string{"a": "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			for _, name := range slices.Sorted(maps.Keys(test.cached)) { // the last added is the newest
				object := metav1.ObjectMeta{Name: name, ResourceVersion: test.cached[name]}
				if err := store.Add(&v1beta1.NodeMaintenance{ObjectMeta: object}); err != nil {
					t.Fatal(err)
				}
			}
			if got := (clusterwatch.Versions{At: "100", Objects: test.listed}).ShownBy(store); got != test.want {
				t.Errorf("shown: %t, want %t", got, test.want)
			}
		})
	}
}

// A process whose watches are stuck does not hold the lease for long.
func TestLeaderThatCannotCatchUpGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lag time.Duration // changes only while the watches have delivered everything
		server := drainertest.NewServer(drainertest.Hooks{Lag: func(int) time.Duration { return lag }})
		drainer, err := New(Config{Maintenance: server.Maintenance, Kube: server.Kube, StoreID: drainertest.StoreID})
		if err != nil {
			t.Fatal(err)
		}
		server.Add(drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}.Object())
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { drainer.Watch(ctx) })
		synctest.Wait()
		lag = time.Hour
		server.Remove(drainertest.Get[*v1beta1.NodeMaintenance](server, "", "a"))
		began := time.Now()
		err = drainer.Lead(ctx)
		if took := time.Since(began); !errors.Is(err, clusterwatch.ErrBehind) || took != clusterwatch.CatchUpMost {
			t.Errorf("it fails after %s with %v, want %s and %v", took, err, clusterwatch.CatchUpMost, clusterwatch.ErrBehind)
		}
	})
}

// A list that does not end is given up and begun anew.
func TestListToCatchUpHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := clusterwatch.ListVersions(context.Background(), func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != clusterwatch.CatchUpRequest {
			t.Errorf("it ends after %s with %v, want %s", took, err, clusterwatch.CatchUpRequest)
		}
	})
}

// A process without an election leads as soon as it can catch up, however long that takes.
func TestProcessThatLeadsAllTheTimeCatchesUp(t *testing.T) {
	var down atomic.Bool
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object())
		var lists atomic.Int32
		c.Kube.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			return lists.Add(1) > 1 && down.Load(), nil, drainertest.ServerDown() // the first one is for the cache
		})
		down.Store(true)
		return c
	}, func(c *cluster) {
		c.wait(2 * clusterwatch.CatchUpMost)
		if c.drainer.leading.Load() != nil {
			t.Error("it leads although it cannot catch up")
		}
		down.Store(false)
		c.wait(time.Minute)
		if c.drainer.leading.Load() == nil {
			t.Error("it does not lead")
		}
	})
}

// A leader whose watch hangs, of holds or of nodes, gives up after a while, and leads again only when it is told something
// again. Watches of other things may hang.
func TestLeaderThatIsToldNothingGivesUp(t *testing.T) {
	for resource, wantEnd := range map[string]bool{"nodemaintenances": true, "nodes": true, "namespaces": false} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, drainertest.Node{}.Object())
				kube, maintenance := c.Clients()
				hanging := watch.NewFake()
				for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
					fake.PrependWatchReactor(resource, clienttesting.DefaultWatchReactor(hanging, nil))
				}
				c.config.Kube, c.config.Maintenance = kube, maintenance
				drainer, err := New(c.config)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				defer running.Wait()
				defer cancel()
				running.Go(func() { drainer.Watch(ctx) })
				c.drainer = drainer
				ended := make(chan error, 1)
				running.Go(func() { ended <- drainer.Lead(ctx) })
				c.wait(clusterwatch.MostAge - time.Minute)
				if len(ended) > 0 {
					t.Fatalf("it gave up too early: %v", <-ended)
				}
				c.wait(2 * time.Minute)
				if !wantEnd {
					if len(ended) > 0 {
						t.Errorf("it gave up: %v", <-ended)
					}
					return
				}
				if err := <-ended; err == nil || !strings.Contains(err.Error(), "has not told anything of") {
					t.Errorf("it ended with %v, want what it was not told of", err)
				}
				if err := drainer.Lead(ctx); err == nil {
					t.Error("it led again, although it is told nothing")
				}
				hanging.Action(watch.Bookmark, map[string]runtime.Object{
					"nodes":            &corev1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}},
					"nodemaintenances": &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}},
				}[resource])
				running.Go(func() { ended <- drainer.Lead(ctx) })
				c.wait(time.Minute)
				if len(ended) > 0 {
					t.Errorf("it does not lead again: %v", <-ended)
				}
			})
		})
	}
}
