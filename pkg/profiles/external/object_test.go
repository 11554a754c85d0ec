// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// The check checkHypervisor of SAP's controller compares fields with values. It cannot be loaded with numbers and lists,
// passes without any field, and stops all profiles of the node if there is no hypervisor.
func TestSAPCheckHypervisor(t *testing.T) {
	status := map[string]any{
		"evicted": true, "hypervisorId": "a-1", "numInstances": int64(0), "aggregates": []any{"zone-a", "rack-1"},
	}
	tests := map[string]struct {
		expression string
		missing    v1beta1.MissingResult
		wantResult evaluation.Result
		want       string
	}{
		"a bool":                  {expression: "object.status.evicted", wantResult: evaluation.True, want: `the expression is true: object "n1" of hypervisors.kvm.cloud.sap`},
		"a string":                {expression: "object.status.hypervisorId == 'a-2'", wantResult: evaluation.False},
		"a number":                {expression: "object.status.numInstances == 0", wantResult: evaluation.True},
		"a list":                  {expression: "object.status.aggregates == ['zone-a', 'rack-1']", wantResult: evaluation.True},
		"several":                 {expression: "object.status.evicted && object.status.numInstances < 1", wantResult: evaluation.True},
		"with the node":           {expression: "object.metadata.name == node.metadata.name", wantResult: evaluation.True},
		"no such field":           {expression: "object.status.gone", wantResult: evaluation.Error, want: "no such key: gone"},
		"a field that may lack":   {expression: "has(object.status.gone) && object.status.gone", wantResult: evaluation.False},
		"no hypervisor":           {missing: "set", wantResult: evaluation.Error, want: `there is no object "n2" of hypervisors.kvm.cloud.sap`},
		"no hypervisor, as error": {missing: v1beta1.MissingError, wantResult: evaluation.Error},
		"no hypervisor, as false": {missing: v1beta1.MissingFalse, wantResult: evaluation.False, want: "there is no object"},
		"no hypervisor, as true":  {missing: v1beta1.MissingTrue, wantResult: evaluation.True, want: "there is no object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(w *world) {
				w.create(hypervisors, hypervisor("n1", status))
				check := hypervisorCheck(test.expression)
				if test.missing != "" {
					check = hypervisorCheck("true")
					check.Object.NameExpression = "'n2'"
				}
				if test.missing != "set" {
					check.Object.Missing = test.missing
				}
				wantAnswer(t, w.answer(check), test.wantResult, test.want)
			})
		})
	}
}

// hypervisorCondition is the expression that does what SAP's check of that name does.
const hypervisorCondition = "has(object.status.conditions) &&" +
	" object.status.conditions.exists(c, c.type == 'Evicting' && c.status == 'False')"

// The check hypervisorCondition of SAP's controller stops all profiles of the node if there is no hypervisor.
func TestSAPHypervisorCondition(t *testing.T) {
	conditions := func(status string) map[string]any {
		return map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False"}, map[string]any{"type": "Evicting", "status": status},
		}}
	}
	inBubble(t, nil, func(w *world) {
		facts := w.want(factsOf("n1", hypervisorCheck(hypervisorCondition)))
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.Error, "there is no object")
		w.wantWoken("n1.p", 1)

		w.create(hypervisors, hypervisor("n1", map[string]any{}))
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.False, "")
		w.wantWoken("n1.p", 1)

		w.update(hypervisors, hypervisor("n1", conditions("True")))
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.False, "")
		w.wantWoken("n1.p", 0)

		w.update(hypervisors, hypervisor("n1", conditions("False")))
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.True, "")
		w.wantWoken("n1.p", 1)

		w.remove(hypervisors, "", "n1")
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.Error, "there is no object")
		w.wantWoken("n1.p", 1)
	})
}

func TestSelector(t *testing.T) {
	inBubble(t, nil, func(w *world) {
		w.create(deployments, deployment("a", "x", 1, "db"), deployment("b", "y", 0, "db"), deployment("a", "z", 0, "web"))
		allReady := "objects.all(o, o.status.readyReplicas > 0) && size(objects) > 0"
		everywhere := w.want(factsOf("n1", deploymentsCheck("", "db", allReady)))
		inA := w.want(factsOf("n2", deploymentsCheck("a", "db", allReady)))
		none := w.want(factsOf("n3", deploymentsCheck("", "none", "size(objects) == 0")))
		first := w.want(factsOf("n4", deploymentsCheck("", "", "objects[0].metadata.name == 'x' && !has(objects[0].metadata.managedFields)")))
		w.sleep(2 * time.Second)
		wantAnswer(t, w.known(everywhere), evaluation.False, "the expression is false: 2 of deployments.apps")
		wantAnswer(t, w.known(inA), evaluation.True, "1 of deployments.apps in namespace a")
		wantAnswer(t, w.known(none), evaluation.True, "0 of deployments.apps")
		wantAnswer(t, w.known(first), evaluation.True, "3 of deployments.apps")
		w.wantWoken("n1.p", 1)

		w.update(deployments, deployment("b", "y", 2, "db"))
		w.sleep(2 * time.Second)
		wantAnswer(t, w.known(everywhere), evaluation.True, "")
		w.wantWoken("n1.p", 1)
		w.wantWoken("n2.p", 1) // the first answer
	})
}

func TestNamesInNamespaces(t *testing.T) {
	named := func(namespace, name string) v1beta1.ProfileCheck {
		check := deploymentsCheck(namespace, "", "object.status.readyReplicas == 1")
		check.Object.Selector, check.Object.NameExpression = nil, name
		return check
	}
	tests := map[string]struct {
		check      v1beta1.ProfileCheck
		wantResult evaluation.Result
		want       string
	}{
		"there":               {check: named("a", "'x'"), wantResult: evaluation.True, want: `object "a/x" of deployments.apps`},
		"elsewhere":           {check: named("b", "'x'"), wantResult: evaluation.Error, want: `there is no object "b/x"`},
		"without a namespace": {check: named("", "'x'"), wantResult: evaluation.Error, want: "deployments.apps are in namespaces: set namespace"},
		"no name":             {check: named("a", "node.metadata.labels.x"), wantResult: evaluation.Error, want: "nameExpression has no value: no such key"},
		"a bad name":          {check: named("a", "node.("), wantResult: evaluation.Error, want: "nameExpression has no value: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(w *world) {
				w.create(deployments, deployment("a", "x", 1))
				wantAnswer(t, w.answer(test.check), test.wantResult, test.want)
			})
		})
	}
}

// One informer serves all nodes. It begins with the first check that is wanted, and ends a minute after the last.
func TestOneWatchWhileItIsWanted(t *testing.T) {
	inBubble(t, nil, func(w *world) {
		facts := factsOf("n1", hypervisorCheck("object.status.evicted"))
		w.asker.Answers(facts)
		w.sleep(time.Hour)
		if asked := w.asked(); len(asked) > 0 {
			t.Errorf("%v although nobody wants it", asked)
		}
		for i := range 500 {
			w.create(hypervisors, hypervisor(fmt.Sprint("n", i), map[string]any{"evicted": false}))
		}
		for i := range 500 {
			w.asker.Want(factsOf(fmt.Sprint("n", i), hypervisorCheck("object.status.evicted")), []string{"c"})
		}
		w.sleep(time.Minute)
		if diff := cmp.Diff([]string{"list hypervisors", "watch hypervisors"}, w.asked()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		for i := range 500 {
			w.wantWoken(fmt.Sprintf("n%d.p", i), 1)
		}
		w.update(hypervisors, hypervisor("n7", map[string]any{"evicted": true}))
		w.sleep(time.Second)
		w.wantWoken("n7.p", 1)
		w.wantWoken("n8.p", 0)

		for i := range 500 {
			w.asker.Forget(fmt.Sprintf("n%d.p", i))
		}
		w.sleep(lingers - time.Second)
		if got := w.watching(); got != 1 {
			t.Errorf("%d informers before a minute is over, want 1", got)
		}
		w.want(facts)
		w.asker.Forget("n1.p")
		w.sleep(lingers + time.Second)
		if got := w.watching(); got != 0 {
			t.Errorf("%d informers after a minute, want none", got)
		}
		if asked := w.asked(); len(asked) > 0 {
			t.Errorf("%v after all was known", asked)
		}
	})
}

// watching is how many informers there are.
func (w *world) watching() int {
	w.asker.watches.mu.Lock()
	defer w.asker.watches.mu.Unlock()
	return len(w.asker.watches.known)
}

func TestResourcesThatCannotBeRead(t *testing.T) {
	tests := map[string]struct {
		err  error
		want string
	}{
		"not allowed":    {err: isForbidden(), want: `this server may not read hypervisors.kvm.cloud.sap: grant its ServiceAccount get, list and watch on the resource hypervisors of the group "kvm.cloud.sap"`},
		"does not exist": {err: isAbsent(), want: "the cluster has no resource hypervisors in kvm.cloud.sap/v1 that can be watched"},
		"another reason": {err: errors.New("oops"), want: "could not read hypervisors.kvm.cloud.sap: oops"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(w *world) {
				w.create(hypervisors, hypervisor("n1", map[string]any{}))
				allow := w.refuse(hypervisors, test.err)
				facts := w.want(factsOf("n1", hypervisorCheck("true")))
				w.sleep(10 * time.Second)
				wantAnswer(t, w.known(facts), evaluation.Error, test.want)
				w.wantWoken("n1.p", 1)

				allow()
				w.sleep(2 * time.Minute)
				wantAnswer(t, w.known(facts), evaluation.True, "")
				w.wantWoken("n1.p", 1)
			})
		})
	}
}

// While the API server does not answer for a moment, what was read before counts.
func TestToleration(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	oops := trouble{}.with(errors.New("oops"), began)
	tests := map[string]struct {
		trouble trouble
		synced  bool
		after   time.Duration
		want    bool
	}{
		"none":                      {synced: true},
		"for a moment":              {trouble: oops, synced: true, after: toleration - 1},
		"for longer":                {trouble: oops, synced: true, after: toleration, want: true},
		"for longer, another error": {trouble: oops.with(errors.New("x"), began.Add(toleration)), synced: true, after: toleration, want: true},
		"over":                      {trouble: oops.with(nil, began), synced: true, after: toleration},
		"nothing is known":          {trouble: oops, want: true},
		"not allowed any more":      {trouble: trouble{}.with(isForbidden(), began), synced: true, want: true},
		"gone":                      {trouble: trouble{}.with(isAbsent(), began), synced: true, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.trouble.matters(test.synced, began.Add(test.after)); got != test.want {
				t.Errorf("it matters: %t, want %t", got, test.want)
			}
		})
	}
}

func TestTooManyResources(t *testing.T) {
	inBubble(t, nil, func(w *world) {
		var all []evaluation.Facts
		for i := range manyResources {
			check := hypervisorCheck("size(objects) == 0")
			check.Object.APIVersion, check.Object.Resource, check.Object.NameExpression = "example.org/v1", numbered(i).Resource, ""
			all = append(all, w.want(factsOf(fmt.Sprint("n", i), check)))
		}
		w.sleep(2 * time.Second)
		if got := w.watching(); got != v1beta1.MaxWatchedResources {
			t.Errorf("%d informers, want %d", got, v1beta1.MaxWatchedResources)
		}
		last := all[manyResources-1]
		wantAnswer(t, w.known(all[0]), evaluation.True, "")
		wantAnswer(t, w.known(last), evaluation.Error, "profiles watch 20 resources already")
		w.wantWoken(last.NodeProfile.Name, 1)

		w.asker.Forget(all[0].NodeProfile.Name)
		w.asker.Forget(all[1].NodeProfile.Name)
		w.sleep(2 * lingers)
		wantAnswer(t, w.known(last), evaluation.True, "")
		// It is Unknown until the objects are known. The engine may learn only of what comes after that.
		if got := w.wakes(last.NodeProfile.Name); got != 1 && got != 2 {
			t.Errorf("woken %d times, want once or twice", got)
		}
	})
}

func TestObjectsOfNodesThatAreGone(t *testing.T) {
	inBubble(t, nil, func(w *world) {
		w.create(hypervisors, hypervisor("n1", map[string]any{}))
		facts := factsOf("n1", hypervisorCheck("true"))
		facts.Node = nil
		w.want(facts)
		w.sleep(time.Second)
		wantAnswer(t, w.known(facts), evaluation.Error, "node n1 does not exist")
	})
}

func TestBrokenObjectChecks(t *testing.T) {
	inBubble(t, nil, func(w *world) {
		check := hypervisorCheck("true")
		check.Object.APIVersion = "a/b/c"
		wantAnswer(t, w.answer(check), evaluation.Error, "the check cannot be applied: ")
		w.asker.Forget("n1.p")
	})
}
