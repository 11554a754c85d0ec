// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestBounded(t *testing.T) {
	tests := map[string]struct {
		text string
		most int
		want string
	}{
		"short enough":      {text: "abcdef", most: 6, want: "abcdef"},
		"too long":          {text: "abcdefg", most: 6, want: "abc..."},
		"within characters": {text: "ééééé", most: 8, want: "éé..."},
		"empty":             {most: 6},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := bounded(test.text, test.most); got != test.want || !utf8.ValidString(got) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Whatever people write on their pods, budgets and webhooks, the status can be stored.
func TestStatusOfMonstrousPodsIsValid(t *testing.T) {
	long := strings.Repeat("é", 300_000)
	var pods []*corev1.Pod
	attempts := map[types.UID]attempt{}
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
			attempts[pod.UID] = attempt{
				last: verdict{outcome: outcomeAdmissionWebhook, object: long, message: long}, failures: 1,
			}
		case 3:
			pod = drainertest.Pod{Name: pod.Name}.Object()
			attempts[pod.UID] = attempt{
				last: verdict{outcome: outcomeFailed, object: long, message: long}, failures: 1,
			}
		}
		pods = append(pods, pod)
	}
	h := newHold(drainertest.Hold{Name: "a"}.Object())
	plan := makePlan(planInput{
		node: drainertest.NodeName, pods: pods, drainable: uidsOf(pods), holds: []hold{h}, budgets: makeBook(),
		attempts: attempts, now: drainertest.Epoch,
	})
	f, _ := plan.factsFor(h)
	f.volumes = []string{long, long}
	status := nextStatus(h, v1beta1.NodeMaintenanceStatus{}, facts{
		node: "uid", cordoned: true, drain: f, lastError: long,
	}, drainertest.Epoch)
	if status.BlockedPodCount != 300 {
		t.Errorf("%d blocked, want all", status.BlockedPodCount)
	}
	internal := &maintenance.NodeMaintenance{}
	if err := v1beta1.Convert_v1beta1_NodeMaintenance_To_maintenance_NodeMaintenance(&v1beta1.NodeMaintenance{
		Status: status,
	}, internal, nil); err != nil {
		t.Fatal(err)
	}
	if errs := validation.ValidateNodeMaintenanceStatusUpdate(internal); len(errs) > 0 {
		t.Errorf("the status is invalid: %.500s", errs.ToAggregate().Error())
	}
	if encoded, err := json.Marshal(status); err != nil || len(encoded) > 256<<10 {
		t.Errorf("the status has %d bytes (%v)", len(encoded), err)
	}
}
