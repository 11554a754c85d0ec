// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// The load of a node counts what a drain would evict, and nothing else.
func TestLoad(t *testing.T) {
	budget := func(app string) types.NamespacedName {
		return types.NamespacedName{Namespace: drainertest.Namespace, Name: app}
	}
	tests := map[string]struct {
		node     string
		want     clusterwatch.Load
		wantRoom map[string]int
	}{
		"pods, some of them guarded": {
			node: drainertest.NodeName, want: clusterwatch.Load{Pods: 3, Budgets: map[types.NamespacedName]int{budget("web"): 2}},
			wantRoom: map[string]int{"web": 1, "db": 0, "gone": 0},
		},
		"no such node": {node: "gone", want: clusterwatch.Load{Budgets: map[types.NamespacedName]int{}}},
	}
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "job", App: "job"}.Object(),
		drainertest.Pod{Name: "web-1", App: "web"}.Object(), drainertest.Pod{Name: "web-2", App: "web"}.Object(),
		drainertest.Pod{Name: "agent", App: "web", Mirror: true}.Object(),
		drainertest.Budget{Name: "web", App: "web", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}.Object(),
		drainertest.Budget{Name: "db", App: "db", Desired: 1, Healthy: 1, Expected: 1}.Object(),
	), func(c *cluster) {
		for name, test := range tests {
			got, err := c.drainer.Load(context.Background(), test.node)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			for of, want := range test.wantRoom {
				if got := c.drainer.Room(budget(of)); got != want {
					t.Errorf("%s: room of %s is %d, want %d", name, of, got, want)
				}
			}
		}
	})
}
