// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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
				began, want := time.Now(), time.Duration(failures)*catchUpList
				ctx, cancel := context.WithCancel(context.Background())
				var leading sync.WaitGroup
				leading.Go(func() { _ = c.drainer.Lead(ctx) })
				for ; c.drainer.leading.Load() == nil; time.Sleep(time.Millisecond) {
					if time.Since(began) > want+time.Minute {
						t.Fatal("it does not lead")
					}
				}
				if took := time.Since(began); took < want || took > want+catchUpLook {
					t.Errorf("it leads after %s, want %s", took, want)
				}
				cancel()
				leading.Wait()
			}, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}.Object(),
				drainertest.Hold{Name: "gone", Stage: v1beta1.StageIdle}.Object())
		})
	}
}
