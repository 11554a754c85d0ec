// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// asking has the check asked decide when the node goes into maintenance. Only nodes with the label allowed go.
const asking = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: allowed, nodeLabel: {key: allowed}}
- {name: asked, CHECK}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: asked && allowed, next: InMaintenance}]
  inMaintenance:
    transitions: [{name: done, check: "!needed", next: Operational}]
`

// checkTest is a check that is False on the first of two nodes. It becomes True by change or, if that is nil, by itself.
type checkTest struct {
	check   string
	prepare func(p *pool, t *testing.T)
	change  func(t *testing.T, p *pool, server *judge)
}

// checkTests has a row for each kind of check that no other test here asks on a real control plane.
var checkTests = map[string]checkTest{
	"nodeAnnotation": {
		check: "nodeAnnotation: {key: asked, value: \"yes\"}",
		change: func(t *testing.T, p *pool, _ *judge) {
			p.patchNode(t, `{"metadata":{"annotations":{"asked":"yes"}}}`)
		},
	},
	"nodeCondition": {
		check: "nodeCondition: {type: Asked, status: \"True\"}",
		change: func(t *testing.T, p *pool, _ *judge) {
			p.patchNode(t, `{"status":{"conditions":[{"type":"Asked","status":"True"}]}}`, "status")
		},
	},
	"node": {
		check:  "node: {expression: \"'asked' in node.metadata.labels\"}",
		change: func(t *testing.T, p *pool, _ *judge) { p.label(t, p.Nodes[0], "asked=yes") },
	},
	"object": {
		check: "object: {apiVersion: coordination.k8s.io/v1, resource: leases, namespace: POOL, nameExpression: \"'asked'\", missing: \"False\", " +
			"expression: \"object.spec.holderIdentity == 'ready'\"}",
		change: func(t *testing.T, p *pool, _ *judge) { p.lease(t, "asked", "ready") },
	},
	"nodeCount":  {check: "nodeCount: {min: 1}"},
	"wait":       {check: "wait: {seconds: 1}"},
	"prometheus": {check: "prometheus: {endpoint: POOL-prometheus, query: good, expression: value > 0.0, intervalSeconds: 5}", change: func(_ *testing.T, _ *pool, server *judge) { server.good.Store(true) }},
	"http":       {check: "http: {endpoint: POOL-http, expression: response.json.good == 1.0, intervalSeconds: 5}", change: func(_ *testing.T, _ *pool, server *judge) { server.good.Store(true) }},
	"podAffinity": {
		check:   "podAffinity: {}",
		prepare: (*pool).runPicky,
		change: func(t *testing.T, p *pool, _ *judge) {
			if err := p.Kube.CoreV1().Pods(p.Name).Delete(t.Context(), "picky", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
				t.Fatal(err)
			}
		},
	},
}

// elsewhere are the other kinds of checks, with the test that has a real control plane decide by them.
var elsewhere = map[string]string{
	"nodeLabel": "TestRestarts", "anyNode": "TestOneProfileOfANodeIsInMaintenance", "clusterVersion": "TestErrorOfACheckHoldsUpNothingElse",
	"maxInMaintenance": "TestManyNodesNeverExceedTheLimit", "stagger": "TestStaggerIsSpentOnceWhileADrainIsBlocked",
	"timeWindow": "TestWindowOverMidnight", "approval": "TestApprovalsRaceAVeto",
}

// Each kind of check gets its answer from a real cluster.
func (o *own) asksEachCheck(t *testing.T) {
	t.Parallel()
	kinds := reflect.TypeFor[v1beta1.ProfileCheck]()
	for i := range kinds.NumField() {
		name, _, _ := strings.Cut(kinds.Field(i).Tag.Get("json"), ",")
		if _, here := checkTests[name]; name != "name" && !here && elsewhere[name] == "" {
			t.Errorf("check %s is never asked on a real control plane", name)
		}
	}
	for name, test := range checkTests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.run(t, o.newPool(t, 2))
		})
	}
}

// judge answers as a Prometheus server and as another one whether all is good.
type judge struct{ good atomic.Bool }

func (j *judge) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	value := "0"
	if j.good.Load() {
		value = "1"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"good": %s, "status": "success", "data": {"resultType": "scalar", "result": [1, %q]}}`, value, value)
}

func (test checkTest) run(t *testing.T, p *pool) {
	p.Run(t, p.Cluster.Workload(p.Name)) // makes the namespace
	judge := &judge{}
	server := httptest.NewServer(judge)
	t.Cleanup(server.Close)
	url := &v1beta1.URLEndpoint{URL: server.URL}
	for kind, spec := range map[string]v1beta1.MaintenanceEndpointSpec{"prometheus": {Prometheus: url}, "http": {HTTP: url}} {
		p.createEndpoint(t, &v1beta1.MaintenanceEndpoint{ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + kind}, Spec: spec})
	}
	if test.prepare != nil {
		test.prepare(p, t)
	}
	profile := p.profile(t, "asking", strings.ReplaceAll(asking, "CHECK", test.check))
	asked := p.Nodes[0]
	p.label(t, p.Nodes[1], "needed=yes")
	p.is(t, profile, p.Nodes[1], v1beta1.ProfileMaintenanceRequired)
	p.label(t, asked, "needed=yes", "allowed=yes")
	if test.change != nil {
		p.wait(t, profile, asked, "the check is False", func(s *v1beta1.NodeProfileStatus) bool {
			return slices.ContainsFunc(s.Checks, func(c v1beta1.CheckStatus) bool { return c.Name == "asked" && c.Result == v1beta1.CheckFalse })
		})
		test.change(t, p, judge)
	}
	p.is(t, profile, asked, v1beta1.ProfileInMaintenance)
}

// patchNode changes the first node, or a subresource of it.
func (p *pool) patchNode(t *testing.T, patch string, subresource ...string) {
	t.Helper()
	_, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), p.Nodes[0], types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, subresource...)
	if err != nil {
		t.Fatalf("could not patch node %s: %v", p.Nodes[0], err)
	}
}

// lease creates an object that has a field for a text.
func (p *pool) lease(t *testing.T, name, holder string) {
	t.Helper()
	object := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}
	if _, err := p.Kube.CoordinationV1().Leases(p.Name).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create lease %s: %v", name, err)
	}
}

// runPicky runs a pod on the first node that prefers nodes that are operational.
func (p *pool) runPicky(t *testing.T) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "picky"},
		Spec: corev1.PodSpec{
			NodeName: p.Nodes[0], Containers: []corev1.Container{{Name: "app", Image: "app"}},
			Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
					Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: v1beta1.StateLabel, Operator: corev1.NodeSelectorOpIn, Values: []string{"operational"}},
					}},
				}},
			}},
		},
	}
	if _, err := p.Kube.CoreV1().Pods(p.Name).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create the pod: %v", err)
	}
}

// acting does everything that a trigger can do, in one transition.
const acting = `
checks:
- {name: needed, nodeLabel: {key: needed}}
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: mark, patchNode: {labels: {marked: "yes"}}}
- {name: tell, patchObject: {apiVersion: coordination.k8s.io/v1, resource: leases, namespace: POOL, nameExpression: "'state'", patchExpression: "{'spec': {'holderIdentity': node.metadata.name}}"}}
- {name: reboot, job: {namespace: POOL, cronJob: reboot}}
- {name: call, webhook: {endpoint: POOL-call}}
- {name: back, release: {}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: needed, triggers: [drain, mark, tell, reboot, call, back], next: InMaintenance}]
  inMaintenance:
    transitions: [{name: done, check: "!needed", next: Operational}]
`

// Each kind of trigger does its work in a real cluster, with the rights that the chart gives the server.
func (o *own) doesEachTrigger(t *testing.T) {
	t.Parallel()
	for _, kind := range action.AllKinds {
		// Reboots have tests of their own: see reboot_test.go.
		if kind != action.KindReboot && !strings.Contains(acting, ", "+string(kind)+": {") {
			t.Errorf("trigger %s is never done on a real control plane", kind)
		}
	}
	p := o.newPool(t, 1)
	node := p.Nodes[0]
	acts, calls := p.prepareTurns(t)
	p.lease(t, "state", "nobody")
	profile := p.profile(t, "acting", acting)
	p.label(t, node, "needed=yes")
	p.is(t, profile, node, v1beta1.ProfileInMaintenance)
	p.WaitUntilClean(t)
	acts.wantOnce(t, p.Nodes, "cordoned", "marked")
	p.wantJobs(t, 1)
	if len(calls.call) != 1 {
		t.Errorf("%d calls came, want 1", len(calls.call))
	}
	state, err := p.Kube.CoordinationV1().Leases(p.Name).Get(t.Context(), "state", metav1.GetOptions{})
	if err != nil || *state.Spec.HolderIdentity != node {
		t.Errorf("the object says %v (%v), want %s", state.Spec, err, node)
	}
	p.keepsWhatJobsDid(t)
}

// misspelled patches a field that no lease has.
const misspelled = `
checks: [{name: needed, nodeLabel: {key: needed}}]
triggers:
- {name: tell, patchObject: {apiVersion: coordination.k8s.io/v1, resource: leases, namespace: POOL, nameExpression: "'state'", patchExpression: "{'spec': {'holder': 'x'}}"}, onFailure: Abort}
states:
  operational:
    transitions: [{name: required, check: needed, triggers: [tell], next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: back, check: "!needed", next: Operational}]
`

// A patch that the API server would drop without a word fails, and says which field is not there.
func (o *own) patchesNoUnknownField(t *testing.T) {
	t.Parallel()
	p := o.newPool(t, 1)
	p.Run(t, p.Cluster.Workload(p.Name)) // makes the namespace
	p.lease(t, "state", "nobody")
	profile := p.profile(t, "misspelled", misspelled)
	p.label(t, p.Nodes[0], "needed=yes")
	p.wait(t, profile, p.Nodes[0], "the step has failed", func(s *v1beta1.NodeProfileStatus) bool {
		return slices.ContainsFunc(s.History, func(h v1beta1.TransitionHistory) bool {
			return strings.Contains(h.Message, `unknown field "spec.holder"`)
		})
	})
}
