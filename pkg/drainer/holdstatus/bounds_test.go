// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// Whatever people write on their pods, budgets and webhooks, the status can be stored.
func TestStatusOfMonstrousPodsIsValid(t *testing.T) {
	long := strings.Repeat("é", 300_000)
	var pods []*corev1.Pod
	attempts := map[types.UID]eviction.Attempt{}
	for i := range 300 {
		pod := drainertest.Pod{
			Name: fmt.Sprintf("p-%0200d", i), TerminatingAt: drainertest.Epoch.AddDate(-1, 0, 0),
		}.Object()
		switch i % 4 {
		case 0:
			for j := range 700 {
				pod.Finalizers = append(pod.Finalizers, fmt.Sprintf("example.com/%070d", j))
			}
		case 1:
			pod = drainertest.Pod{
				Name: pod.Name, OwnerKind: "Job", OwnerName: long, DrainLabel: v1beta1.DrainLabelWaitCompleted,
			}.Object()
		case 2:
			pod = drainertest.Pod{Name: pod.Name, App: "free"}.Object()
			attempts[pod.UID] = eviction.Attempt{
				Last: eviction.Answer{Outcome: eviction.AdmissionWebhook, Object: long, Message: long}, Failures: 1,
			}
		case 3:
			pod = drainertest.Pod{Name: pod.Name}.Object()
			attempts[pod.UID] = eviction.Attempt{
				Last: eviction.Answer{Outcome: eviction.Failed, Object: long, Message: long}, Failures: 1,
			}
		}
		pods = append(pods, pod)
	}
	h := holdOf(drainertest.Hold{Name: "a"})
	planned := plan.Make(plan.Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: []plan.Hold{h.Hold},
		Attempts: attempts, Now: drainertest.Epoch,
	})
	drain := &HoldDrain{Progress: planned.ProgressOf(h.Hold), Volumes: []string{long, long}}
	status := NextStatus(h, Facts{
		Node: "uid", Cordoned: true,
		Drain: DrainFacts{ByHold: map[types.UID]*HoldDrain{h.UID: drain}, Failure: long},
	}, drainertest.Epoch)
	if status.BlockedPodCount != 300 {
		t.Errorf("%d blocked, want all", status.BlockedPodCount)
	}
	if errs := validation.ValidateNodeMaintenanceStatusUpdate(&v1beta1.NodeMaintenance{Status: status}, &v1beta1.NodeMaintenance{}); len(errs) > 0 {
		t.Errorf("the status is invalid: %.500s", errs.ToAggregate().Error())
	}
	if encoded, err := json.Marshal(status); err != nil || len(encoded) > 256<<10 {
		t.Errorf("the status has %d bytes (%v)", len(encoded), err)
	}
}
