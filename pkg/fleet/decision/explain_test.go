// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"reflect"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestForecast(t *testing.T) {
	f := newFleet("aab")
	f.policy("all").Limits.MaxConcurrent = limit("1")
	f.holds("w-1", "w-2")
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: "w-3"}}
	if got := Forecast(Facts{Now: start, Nodes: f.Nodes}, hold); got != nil {
		t.Errorf("without policies: got %+v, want nothing", got)
	}
	got := Forecast(f.Facts, hold)
	want := &v1beta1.AdmissionForecast{
		WaitingFor: []v1beta1.AdmissionWait{{
			Policy: "all", Reason: v1beta1.AdmissionQueued, Message: "1 of 1 node in maintenance (w-1)",
		}},
		Positions: []v1beta1.QueuePosition{{Policy: "all", Position: 2, Of: 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	hold.Spec.Priority = 1
	if got := Forecast(f.Facts, hold); !got.StartsNow || len(got.WaitingFor) > 0 {
		t.Errorf("with a priority: got %+v, want that it starts", got)
	}
	if got := Forecast(f.Facts, f.Holds[1]); got.StartsNow || len(f.Holds) != 2 {
		t.Errorf("of a hold that waits: got %+v, and %d holds", got, len(f.Holds))
	}
}

func TestQueue(t *testing.T) {
	f := newFleet("aaa")
	f.policy("all").Limits.MaxConcurrent = limit("1")
	f.holds("w-1", "w-2", "w-3")
	f.Holds[2].Spec.Priority = -5
	items := Queue(f.Facts, "all").Items
	if len(items) != 2 {
		t.Fatalf("got %+v, want two", items)
	}
	got := items[1]
	if got.Position != 2 || got.Name != "h-w-3" || got.Node != "w-3" || got.Requestor != "rita" || got.Priority != -5 || len(got.WaitingFor) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := Queue(f.Facts, "unknown").Items; len(got) != 0 {
		t.Errorf("of an unknown policy: got %+v", got)
	}
}

func TestPreview(t *testing.T) {
	f := newFleet("aaa")
	f.policy("all")
	f.holds("w-1")
	f.decide()
	changed := f.Policies[0].DeepCopy()
	changed.Spec.Limits.MaxConcurrent = limit("50%")
	got := Preview(f.Facts, changed)
	if got.Selected != 3 || *got.MaxConcurrent != 1 || got.InMaintenance != 1 {
		t.Errorf("got %+v, want 3 nodes, one in maintenance, and a limit of 1", got)
	}
	if f.Policies[0].Spec.Limits.MaxConcurrent != nil {
		t.Error("the facts were changed")
	}
}

// A decision changes none of its facts, whatever order they come in, and its cache does not show.
func TestFactsStay(t *testing.T) {
	f := (fleetSize{nodes: 60, policies: 3, held: 9, waiting: 20}).fleet()
	nodes, holds, policies, ledger := copies(f.Nodes), copies(f.Holds), copies(f.Policies), f.Ledger.DeepCopy()
	first := f.decider.Decide(f.Facts)
	if !reflect.DeepEqual(nodes, f.Nodes) || !reflect.DeepEqual(holds, f.Holds) || !reflect.DeepEqual(policies, f.Policies) ||
		!reflect.DeepEqual(*ledger, f.Ledger) {
		t.Error("the facts were changed")
	}
	reversed := f.Facts
	reversed.Nodes, reversed.Holds, reversed.Policies = reverse(nodes), reverse(holds), reverse(policies)
	if again := Decide(reversed); !reflect.DeepEqual(first, again) {
		t.Errorf("got %+v, and in another order %+v", first, again)
	}
}

func reverse[T any](all []T) []T {
	reversed := make([]T, 0, len(all))
	for i := range all {
		reversed = append(reversed, all[len(all)-1-i])
	}
	return reversed
}
