// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func deleting(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.OnTimeout = v1beta1.OnTimeoutDelete }

// What another hold deletes past its own deadline, no budget keeps.
func TestPlanKnowsWhatOtherHoldsDelete(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("web-1"), makePod("db-1", app("db")),
			makeBudget("web", "web", 1, 1, 1, 0), makeBudget("db", "db", 1, 1, 1, 0))
		c.kube.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("not now")
		})
		return c
	}, func(c *cluster) {
		c.create(makeHold("a", selecting("web"), timeout(60), deleting))
		actions := func() map[string]v1beta1.PlannedAction {
			plan, err := c.drainer.Plan(context.Background(), makeHold("b"), true)
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
