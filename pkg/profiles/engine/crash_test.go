// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A process dies of an expression, and so do those of other pods that lead before it is back. Once one of them is back, the
// profile is stopped: no process of any pod dies again, what the profile has begun stays, and other profiles go on.
func TestStopAfterCrash(t *testing.T) {
	for name, test := range map[string]struct {
		// pods are where processes run, one after the other.
		pods       []string
		wantDeaths int
	}{
		"the process comes back":                 {pods: []string{"a", "a", "a", "b", "new"}, wantDeaths: 1},
		"another pod leads first":                {pods: []string{"a", "b", "b", "a", "new"}, wantDeaths: 2},
		"the pod is gone, and so is the next":    {pods: []string{"a", "b", "c", "c", "new"}, wantDeaths: 3},
		"the first comes back when all had died": {pods: []string{"a", "b", "a", "b", "new"}, wantDeaths: 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 2, func(w *world) {
				w.node("w-1", "go")
				w.node("w-2")
				w.profile("esx")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.Checks[0].NodeLabel.Key = "flatcar"
					s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "other", Node: &v1beta1.NodeExpressionCheck{Expression: "true"}})
				})
				r := w.startIn(test.pods[0])
				w.wait(time.Minute)
				w.wantState("esx", v1beta1.ProfileInMaintenance, "w-1")
				w.changeProfile("esx", func(s *v1beta1.MaintenanceProfileSpec) { s.Checks = append(s.Checks, bomb("")) })
				w.wait(time.Minute)
				for _, pod := range test.pods[1:] {
					r.stop()
					r = w.startIn(pod)
					w.wait(time.Minute)
				}
				if got := w.deaths[bomb("").Node.Expression]; got != test.wantDeaths {
					t.Errorf("%d processes died, want %d", got, test.wantDeaths)
				}
				w.unlabel("w-1", "go")
				w.label("w-1", "done")
				w.label("w-2", "go")
				w.label("w-2", "flatcar")
				w.wait(time.Minute)
				w.wantState("esx", v1beta1.ProfileInMaintenance, "w-1")
				w.wantState("esx", v1beta1.ProfileOperational, "w-2")
				w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-2")
				w.wantCrash("esx", "w-1", "spec.checks[4].node.expression")
				w.wantCrash("flatcar", "w-2", "")

				w.changeProfile("esx", func(s *v1beta1.MaintenanceProfileSpec) { s.Priority = 7 }) // the same text is not tried again
				w.wait(time.Minute)
				w.wantCrash("esx", "w-1", "spec.checks[4].node.expression")
				w.changeProfile("esx", func(s *v1beta1.MaintenanceProfileSpec) { s.Checks[4].Node.Expression = "true" })
				w.wait(time.Minute)
				w.wantState("esx", v1beta1.ProfileOperational, "w-1")
				w.wantCrash("esx", "w-1", "")
			})
		})
	}
}

// wantCrash wants a profile, and what is shown of it on a node, to say that a field is not evaluated; empty: that all are.
func (w *world) wantCrash(name, node, field string) {
	w.t.Helper()
	profile := drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", name)
	got := ""
	if crash := profile.Status.Crash; crash != nil {
		got = crash.Field
	}
	if got != field {
		w.t.Errorf("%s has stopped for %q, want %q", name, got, field)
	}
	for _, conditions := range [][]metav1.Condition{profile.Status.Conditions, w.get(node, name).Status.Conditions} {
		acting := apimeta.FindStatusCondition(conditions, v1beta1.ConditionActing)
		says := acting != nil && acting.Reason == v1beta1.ReasonStoppedAfterCrash && strings.Contains(acting.Message, "while it evaluated "+got+", ")
		if says != (field != "") {
			w.t.Errorf("the condition of %s is %+v, want it to say that it has stopped for %q", name, acting, field)
		}
	}
}

// People are told once that a profile has stopped, and the leader's metric says so until it is not any more.
func TestStopAfterCrashIsTold(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		w.profile("esx", func(s *v1beta1.MaintenanceProfileSpec) { s.Checks = append(s.Checks, bomb("")) })
		w.startIn("a")
		w.wait(time.Minute)
		w.replicas[0].stop()
		var events []string
		for range 2 {
			r := w.startIn("a")
			w.wait(time.Minute)
			wantGauge(t, 1)
			r.stop()
			for len(r.recorder.Events) > 0 {
				events = append(events, <-r.recorder.Events)
			}
		}
		if want := "Warning ProfileStoppedAfterCrash a process of the server died while it evaluated spec.checks[4].node.expression, which began at "; len(events) != 1 ||
			!strings.HasPrefix(events[0], want) {
			t.Errorf("the events are %q, want one that begins with %q", events, want)
		}
		w.startIn("a")
		w.changeProfile("esx", defuse)
		w.wait(time.Minute)
		wantGauge(t, 0)
	})
}

func defuse(spec *v1beta1.MaintenanceProfileSpec) {
	spec.Checks = slices.DeleteFunc(spec.Checks, func(check v1beta1.ProfileCheck) bool { return check.Name == "bomb" })
}

// Each text of a profile is either evaluated, and then found, or known to be none that is.
func TestEvaluatedFields(t *testing.T) {
	const others = `
		addFinalizers alias annotations apiVersion at channel cronJob end endpoint enter excludeDates from groupBy
		key labelKey labels matchLabels name names namespace notify path podAnnotations pool profile query
		removeAnnotations removeFinalizers removeLabels resource start timeZone to triggers type value values
	`
	var unknown []string
	for name := range textFields(reflect.TypeFor[v1beta1.MaintenanceProfileSpec](), sets.New[reflect.Type]()) {
		if !evaluated.Has(name) && !slices.Contains(strings.Fields(others), name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	if len(unknown) > 0 {
		t.Errorf("is something evaluated that is in these fields? %s", strings.Join(unknown, " "))
	}
}

// textFields are the names, as in JSON, of the fields of a type that are texts of any kind.
func textFields(of reflect.Type, seen sets.Set[reflect.Type]) sets.Set[string] {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	names := sets.New[string]()
	if of.Kind() != reflect.Struct || seen.Has(of) {
		return names
	}
	seen.Insert(of)
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind := field.Type
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice || kind.Kind() == reflect.Map {
			kind = kind.Elem()
		}
		if kind == reflect.TypeFor[string]() {
			names.Insert(name)
		}
		names = names.Union(textFields(field.Type, seen))
	}
	return names
}

func wantGauge(t *testing.T, want float64) {
	t.Helper()
	if got, err := testutil.GetGaugeMetricValue(profilesStopped); err != nil || got != want {
		t.Errorf("the metric says %v, %v, want %v", got, err, want)
	}
}
