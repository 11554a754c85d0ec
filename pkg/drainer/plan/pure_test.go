// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

// everyField has values compared field by field, with those that are not exported.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// richInput is an input that has each kind of pod, in no order. Each call makes all of it anew.
func richInput() Input {
	in := Input{
		Node: drainertest.NodeName, Now: drainertest.Epoch,
		Replicas: replicas.Facts{
			Server: replicas.Of(drainertest.Pod{Name: "own", Change: drainertest.Replica}.Object()),
			Replicas: []replicas.Replica{
				{Pod: types.NamespacedName{Namespace: drainertest.Namespace, Name: "own"}, UID: drainertest.UID("own"), Ready: true},
				{Pod: types.NamespacedName{Namespace: drainertest.Namespace, Name: "other"}, UID: drainertest.UID("other"), Ready: true},
			},
		},
		Pods: drainertest.Objects([]drainertest.Pod{
			{Name: "z"},
			{Name: "last", App: "last"},
			{Name: "own", Change: drainertest.Replica},
			{Name: "leaving", TerminatingAt: drainertest.Epoch.Add(-time.Hour), Finalizers: []string{"example.com/f"}},
			{Name: "mirror", Mirror: true},
			{Name: "first", App: "first"},
			{Name: "unmanaged", Unmanaged: true},
			{Name: "job", App: "job"},
			{Name: "db", App: "db"},
			{Name: "refused", App: "refused"},
			{Name: "accepted", App: "refused"},
			{Name: "a"},
		}),
		Holds: holdsOf(
			drainertest.Hold{Name: "b", Blocking: true, GracePeriodSeconds: 20, Rules: []v1beta1.DrainRule{
				drainertest.AppRule("first", v1beta1.ActionDrain, -1), drainertest.AppRule("last", v1beta1.ActionDrain, 1),
				drainertest.AppRule("job", v1beta1.ActionWaitCompleted, 0),
			}},
			drainertest.Hold{Name: "a", SelectApp: "db"}, drainertest.Hold{Name: "c", Stage: v1beta1.StageCordon},
		),
		Namespaces: map[string]labels.Set{drainertest.Namespace: {"team": "x"}},
		Budgets: snapshot(
			drainertest.Budget{Name: "web", Desired: 1, Healthy: 2, Expected: 3, Allowed: 1},
			drainertest.Budget{Name: "db", App: "db", Desired: 1, Healthy: 1, Expected: 1},
		),
		Attempts: map[types.UID]eviction.Attempt{
			drainertest.UID("refused"):  {Last: eviction.Answer{Outcome: eviction.AdmissionWebhook, Message: "no"}, Failures: 3},
			drainertest.UID("accepted"): {Evicted: drainertest.Epoch.Add(-time.Minute)},
		},
		Returns: returns.Pods{
			drainertest.UID("z"): {Object: "Deployment/default/web"}, drainertest.UID("a"): {Object: "Deployment/default/web"},
		},
		Cordon: cordon,
	}
	in.Drainable = uidsOf(in.Pods)
	in.Drainable.Delete(drainertest.UID("mirror"))
	in.Holds[1].Deletes = true
	return in
}

// A plan is made from its input alone, and neither making it nor reading it changes anything.
func TestPlanChangesNothing(t *testing.T) {
	in := richInput()
	first, second := Make(in), Make(in)
	predicted := Predictions{drainertest.UID("a"): {Returns: true, Why: "comes back"}}
	read := func(p Plan) []any {
		read := []any{p.Evictions(), p.ToGo(), p.Moves(), p.Blocked(), p.Report(drainertest.UID("a"), predicted), p.Recreated(drainertest.UID("a"))}
		for _, h := range in.Holds {
			if h.Drains() {
				read = append(read, p.ProgressOf(h))
			}
		}
		return read
	}
	if diff := cmp.Diff(read(first), read(first), everyField); diff != "" {
		t.Errorf("a plan that is read a second time (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(second, first, everyField); diff != "" {
		t.Errorf("two plans from the same input, one of them read (-not read +read):\n%s", diff)
	}
	if diff := cmp.Diff(richInput(), in, everyField); diff != "" {
		t.Errorf("the input (-before +after):\n%s", diff)
	}
}
