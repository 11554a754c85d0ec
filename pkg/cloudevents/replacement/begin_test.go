// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	now     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	machine = v1beta1.ReplacedObject{APIGroup: v1beta1.ClusterAPIGroup, Kind: "Machine", Namespace: "machines", Name: "old", UID: "old-uid"}
	owning  = v1beta1.ReplacedObject{APIGroup: v1beta1.ClusterAPIGroup, Kind: "MachineSet", Namespace: "machines", Name: "set", UID: "set-uid"}
)

func TestBegin(t *testing.T) {
	tests := map[string]struct {
		wish         Wish
		wantStrategy v1beta1.ReplacementStrategy
		wantStep     v1beta1.ReplacementStep
		wantWhy      string
	}{
		"a set": {
			wish: Wish{Owner: &Owner{}}, wantStrategy: v1beta1.SurgeFirst, wantStep: v1beta1.StepSurge,
		},
		"a set, and a policy that deletes first": {
			wish:         Wish{Owner: &Owner{}, Strategy: v1beta1.DeleteFirst},
			wantStrategy: v1beta1.DeleteFirst, wantStep: v1beta1.StepAwaitDrain,
		},
		"an owner that cannot be scaled, and a policy that wants it": {
			wish:         Wish{Owner: &Owner{NoSurge: "its MachineDeployment is being rolled out"}, Strategy: v1beta1.SurgeFirst},
			wantStrategy: v1beta1.DeleteFirst, wantStep: v1beta1.StepAwaitDrain,
		},
		"a control plane, and a policy that wants a surge": {
			wish:         Wish{Owner: &Owner{ControlPlane: true}, ControlPlaneNode: true, Strategy: v1beta1.SurgeFirst},
			wantStrategy: v1beta1.DeleteFirst, wantStep: v1beta1.StepAwaitDrain,
		},
		"a node of the control plane in a set": {
			wish: Wish{Owner: &Owner{Object: owning}, ControlPlaneNode: true}, wantWhy: "a MachineSet, which is no controller of control planes",
		},
		"a node of the control plane without an owner": {
			wish: Wish{ControlPlaneNode: true}, wantWhy: "it has no owner",
		},
		"no owner":      {wish: Wish{}, wantWhy: "it has no owner"},
		"another owner": {wish: Wish{OwnerKind: "MachinePool"}, wantWhy: "a MachinePool"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.wish.Machine = machine
			got, why := Begin(test.wish, now)
			if test.wantWhy != "" {
				if got != nil || !strings.Contains(why, test.wantWhy) {
					t.Fatalf("began %+v, refused with %q, want %q", got, why, test.wantWhy)
				}
				return
			}
			if got == nil || why != "" || got.Strategy != test.wantStrategy || got.Step != test.wantStep || got.Machine != machine || !got.StepTime.Time.Equal(now) {
				t.Errorf("began %+v (%q), want %s, %s", got, why, test.wantStrategy, test.wantStep)
			}
		})
	}
}
