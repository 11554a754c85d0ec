// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// quietTime is how long after a restart nothing may happen. A hold's status is
// written at most a second after something changed it.
const quietTime = 3 * time.Second

// TestRestartIsQuiet restarts the server in every way while one node is drained and
// another one blocked for good. Nothing has changed, so nothing may be written.
func TestRestartIsQuiet(t *testing.T) {
	pool := env.Current(t).NewPool(t, 3)
	ready, gone := localcluster.ReadyDelay(300*time.Millisecond), localcluster.TerminationDelay(300*time.Millisecond)
	workload := pool.Cluster.Workload(pool.Name).
		Deployment("web", 6, pool.Selector(), ready, gone).
		Deployment("guarded", 6, pool.Selector(), ready, gone).Budget("guarded", localcluster.MinAvailable("5"))
	pool.Run(t, workload)
	done := pool.Create(t, pool.Hold("done", pool.Nodes[0]))
	pool.WaitForHold(t, done.Name, "node drained", env.Drained)
	setBudget(t, pool, "guarded", `{"spec":{"minAvailable":6}}`)
	stuck := pool.Create(t, pool.Hold("stuck", pool.Nodes[1]))
	pool.WaitForHold(t, stuck.Name, "the drain is blocked for good", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.PendingPodCount > 0 && nm.Status.PendingPodCount == nm.Status.BlockedPodCount && nm.Status.Blockers[0].Permanent
	})
	// What the blockers say changes until the evicted pods run elsewhere.
	if err := workload.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitSaysDrained(t, pool, pool.Nodes[0])
	keepServer(t)
	before := settled(t, pool, done.Name, stuck.Name)
	since := time.Now()
	for name, stop := range map[string]func(*testing.T){"kill": kill, "terminate": terminate} {
		stop(t)
		start(t)
		env.Always(t, quietTime, "after "+name+" and start", func(ctx context.Context) string {
			after, err := snapshot(ctx, t, pool, since, done.Name, stuck.Name)
			if err != nil {
				return err.Error()
			}
			return difference(before, after)
		})
	}
	for _, name := range []string{done.Name, stuck.Name} {
		pool.Delete(t, name)
	}
	wantClean(t, pool)
}

// settled is a snapshot after which nothing was written for a while.
func settled(t *testing.T, pool *env.Pool, holds ...string) map[string]string {
	t.Helper()
	var last map[string]string
	var since time.Time
	env.Eventually(t, "all is quiet", func(ctx context.Context) string {
		next, err := snapshot(ctx, t, pool, time.Time{}, holds...)
		if err != nil {
			return err.Error()
		}
		wrong := difference(last, next)
		if wrong != "" {
			since = time.Now()
		}
		last = next
		if quiet := time.Since(since); quiet < quietTime {
			return fmt.Sprintf("quiet for %s since %s", quiet, wrong)
		}
		return ""
	})
	return last
}

// snapshot is what a server that does something changes, by a name for it. An
// object that was written and is as before has another resourceVersion all the
// same, so no state in between is missed. Nodes are compared by what a server
// changes of them, since kubelets change them, too. Of the events it has those of
// something that happened since then: one of before may be written at any time.
func snapshot(ctx context.Context, t *testing.T, pool *env.Pool, since time.Time, holds ...string) (map[string]string, error) {
	state := map[string]string{"evictions": fmt.Sprint(evictions(t, pool))}
	for _, name := range holds {
		nm, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		status, err := json.Marshal(nm.Status)
		if err != nil {
			return nil, err
		}
		state["NodeMaintenance "+name] = nm.ResourceVersion
		state["status of "+name] = string(status)
		if err := addEvents(ctx, pool, state, since, name, nm.Spec.NodeName); err != nil {
			return nil, err
		}
		node, err := pool.Kube.CoreV1().Nodes().Get(ctx, nm.Spec.NodeName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		state["node "+node.Name] = marksOn(node)
	}
	return state, nil
}

func addEvents(ctx context.Context, pool *env.Pool, state map[string]string, since time.Time, objects ...string) error {
	for _, object := range objects {
		list, err := pool.Kube.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("involvedObject.name", object).String(),
		})
		if err != nil {
			return err
		}
		for i := range list.Items {
			if event := &list.Items[i]; event.Source.Component == localcluster.ServerName && event.LastTimestamp.After(since) {
				state[fmt.Sprintf("event %s %s on %s", event.Name, event.Reason, object)] = fmt.Sprint(times(event))
			}
		}
	}
	return nil
}

func times(event *corev1.Event) int32 {
	if event.Series != nil {
		return event.Series.Count
	}
	return event.Count
}

// difference lists in what two snapshots differ; "" when they do not.
func difference(before, after map[string]string) string {
	var differences []string
	for what, value := range after {
		if before[what] != value {
			differences = append(differences, fmt.Sprintf("%s went from %q to %q", what, before[what], value))
		}
	}
	slices.Sort(differences)
	return strings.Join(differences, "; ")
}
