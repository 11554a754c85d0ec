// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A pod that does not stop is removed once the hold deletes, and the status says what is going on until then.
func TestPodThatDoesNotStopIsRemoved(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "hangs"}.Object(),
			drainertest.Pod{Name: "kept", Finalizers: []string{"example.com/f"}}.Object())
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 60, DeleteOnTimeout: true}.Object())
		for _, step := range []struct {
			after time.Duration
			want  string
		}{
			{50 * time.Second, "2 of 2 pods are still to leave"},
			{12 * time.Second, "1 pod is left past the deadline; what holds up their deletion is in status.blockers"},
		} {
			c.wait(step.after)
			if got := apimeta.FindStatusCondition(c.hold("a").Status.Conditions, v1beta1.ConditionDrained).Message; got != step.want {
				c.t.Errorf("it says %q, want %q", got, step.want)
			}
		}
		if drainertest.Get[*corev1.Pod](c.Server, drainertest.Namespace, "hangs") != nil {
			c.t.Error("the pod that does not stop is there still")
		}
	})
}

// What another hold deletes past its own deadline, no budget keeps.
func TestPlanKnowsWhatOtherHoldsDelete(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{
			Name: "web-1",
		}.Object(), drainertest.Pod{Name: "db-1", App: "db"}.Object(),
			drainertest.Budget{
				Name: "web", Desired: 1, Healthy: 1, Expected: 1,
			}.Object(), drainertest.Budget{Name: "db", App: "db", Desired: 1, Healthy: 1, Expected: 1}.Object())
		c.Inject(drainertest.Failing("delete", "pods", errors.New("not now")))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", SelectApp: "web", TimeoutSeconds: 60, DeleteOnTimeout: true}.Object())
		actions := func() map[string]v1beta1.PlannedAction {
			plan, err := c.drainer.Plan(context.Background(), drainertest.Hold{Name: "b"}.Object(), true)
			if err != nil {
				c.t.Fatal(err)
			}
			actions := map[string]v1beta1.PlannedAction{}
			for _, pod := range plan.Pods {
				actions[pod.Pod] = pod.Action
			}
			return actions
		}
		if got := actions(); got["default/web-1"] != v1beta1.PlanEvict {
			c.t.Errorf("before the deadline the plan is %v, want to evict", got)
		}
		c.wait(time.Minute)
		if got := actions(); got["default/web-1"] != v1beta1.PlanDelete || got["default/db-1"] != v1beta1.PlanEvict {
			c.t.Errorf("past the deadline the plan is %v, want to delete only the pod of the hold that is late", got)
		}
	})
}
