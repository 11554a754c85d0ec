// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchobject

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

var hypervisors = schema.GroupVersionResource{Group: "kvm.cloud.sap", Version: "v1", Resource: "hypervisors"}

func hypervisor(change func(spec map[string]any)) *unstructured.Unstructured {
	spec := map[string]any{"maintenance": "none", "traits": []any{"a", "b"}}
	if change != nil {
		change(spec)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kvm.cloud.sap/v1", "kind": "Hypervisor", "spec": spec,
		"metadata": map[string]any{"name": "worker-1", "uid": "hv-uid", "resourceVersion": "9"},
	}}
}

func spec() *v1beta1.PatchObjectTrigger {
	return &v1beta1.PatchObjectTrigger{
		APIVersion: "kvm.cloud.sap/v1", Resource: "hypervisors", NameExpression: "node.metadata.name",
		PatchExpression: `{"spec": {"maintenance": "manual", "count": size(object.spec.traits), "traits": ["c"], "version": null}}`,
	}
}

var node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "node-uid"}}

func clientWith(objects ...runtime.Object) *fake.FakeDynamicClient {
	lists := map[schema.GroupVersionResource]string{hypervisors: "HypervisorList"}
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...)
}

func stepOf(trigger *v1beta1.PatchObjectTrigger, object, patch string) action.Step {
	transition := &v1beta1.RecordedTransition{ID: "np-uid/3.1", Phase: v1beta1.PhaseTriggers, Steps: []v1beta1.TransitionStep{{
		ID: "0-hv", Trigger: v1beta1.ProfileTrigger{PatchObject: trigger}, Object: object, Patch: patch, State: v1beta1.StepRunning,
	}}}
	return action.Step{Profile: "kvm", Node: node, NodeProfile: &v1beta1.NodeProfile{}, Transition: transition, Recorded: &transition.Steps[0]}
}

func patches(t *testing.T, client *fake.FakeDynamicClient) []map[string]any {
	t.Helper()
	var bodies []map[string]any
	for _, sent := range client.Actions() {
		if patch, is := sent.(clienttesting.PatchAction); is {
			var body map[string]any
			if err := json.Unmarshal(patch.GetPatch(), &body); err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// The SAP maintenance-controller cannot set numbers and lists of a Hypervisor, and knows no other kind.
func TestResolveAndPatch(t *testing.T) {
	client := clientWith(hypervisor(nil))
	step := v1beta1.TransitionStep{Trigger: v1beta1.ProfileTrigger{PatchObject: spec()}}
	if err := NewResolver(client).Resolve(t.Context(), &step, node); err != nil {
		t.Fatal(err)
	}
	name, patch := step.Object, step.Patch
	const wantPatch = `{"metadata":{"uid":"hv-uid"},"spec":{"count":2,"maintenance":"manual","traits":["c"],"version":null}}`
	if name != "worker-1" || patch != wantPatch {
		t.Fatalf("recorded %s %s, want worker-1 %s", name, patch, wantPatch)
	}
	for range 2 { // the second one finds it done
		progress, err := New(client).Do(t.Context(), stepOf(spec(), name, patch))
		if err != nil || progress != action.Done() {
			t.Fatalf("progress %+v, error %v, want done", progress, err)
		}
	}
	want := []map[string]any{{
		"metadata": map[string]any{"uid": "hv-uid", "resourceVersion": "9"},
		"spec":     map[string]any{"count": 2.0, "maintenance": "manual", "traits": []any{"c"}, "version": nil},
	}}
	if diff := cmp.Diff(want, patches(t, client)); diff != "" {
		t.Error(diff)
	}
}

func TestResolveErrors(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.PatchObjectTrigger)
		want   string
	}{
		"no such object":    {change: func(s *v1beta1.PatchObjectTrigger) { s.NameExpression = "'other'" }, want: "could not get hypervisors other: "},
		"no such field":     {change: func(s *v1beta1.PatchObjectTrigger) { s.NameExpression = "node.metadata.labels.x" }, want: "nameExpression: "},
		"no map":            {change: func(s *v1beta1.PatchObjectTrigger) { s.PatchExpression = "object.spec.maintenance" }, want: "patchExpression: "},
		"it does not parse": {change: func(s *v1beta1.PatchObjectTrigger) { s.PatchExpression = "{" }, want: "patchExpression: "},
		"metadata is a text": {
			change: func(s *v1beta1.PatchObjectTrigger) { s.PatchExpression = `{"metadata": "x"}` }, want: "metadata of the patch is no map",
		},
		"it is too large": {
			change: func(s *v1beta1.PatchObjectTrigger) {
				s.PatchExpression = `{"a": lists.range(5000).map(i, "0123456789abcdef").join("")}`
			},
			want: "the patch has 80036 bytes, and at most 65536 are allowed: ",
		},
		"a role": {
			change: func(s *v1beta1.PatchObjectTrigger) {
				s.APIVersion, s.Resource = "rbac.authorization.k8s.io/v1", "clusterroles"
			},
			want: "kube-apiserver lets users give only permissions that they have themselves, and would ask for those of the server instead: " +
				"change roles and bindings yourself",
		},
		"a node": {
			change: func(s *v1beta1.PatchObjectTrigger) { s.APIVersion, s.Resource = "v1", "nodes" }, want: "nodes have marks of the server: use patchNode, which leaves them alone",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := spec()
			test.change(changed)
			step := v1beta1.TransitionStep{Trigger: v1beta1.ProfileTrigger{PatchObject: changed}}
			err := NewResolver(clientWith(hypervisor(nil))).Resolve(t.Context(), &step, node)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || step.Object != "" || step.Patch != "" {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestResolveLeavesOtherStepsAlone(t *testing.T) {
	step := v1beta1.TransitionStep{Trigger: v1beta1.ProfileTrigger{Job: &v1beta1.JobTrigger{}}, Object: "a"}
	if err := NewResolver(clientWith()).Resolve(t.Context(), &step, nil); err != nil || step.Object != "a" {
		t.Errorf("step %+v, error %v", step, err)
	}
	step = v1beta1.TransitionStep{Trigger: v1beta1.ProfileTrigger{PatchObject: spec()}}
	if err := NewResolver(clientWith()).Resolve(t.Context(), &step, nil); err == nil {
		t.Error("a node that does not exist has no error")
	}
}

// The SAP maintenance-controller blocks all profiles of a node if its Hypervisor is missing. Here the step says so.
func TestFailed(t *testing.T) {
	const patch = `{"metadata":{"uid":"hv-uid"},"spec":{"maintenance":"manual"}}`
	tests := map[string]struct {
		change        func(*v1beta1.PatchObjectTrigger)
		object, patch string
		want          string
	}{
		"it is gone":             {object: "other", patch: patch, want: "hypervisors other does not exist: "},
		"another one":            {object: "worker-1", patch: `{"metadata":{"uid":"former"}}`, want: "hypervisors worker-1 does not exist: "},
		"nothing was recorded":   {want: "which of the hypervisors is to be patched, and how, was not recorded"},
		"the record is no patch": {object: "worker-1", patch: "[]", want: "hypervisors worker-1 is not patched: its patch cannot be read: "},
		"our own kind": {
			change: func(s *v1beta1.PatchObjectTrigger) {
				s.APIVersion, s.Resource = "maintenance.medik8s.io/v1beta1", "nodemaintenances"
			},
			object: "a", patch: patch, want: "nodemaintenances a is not patched: they are objects of the server's own: use hold and release",
		},
		"a node": {
			change: func(s *v1beta1.PatchObjectTrigger) { s.APIVersion, s.Resource = "v1", "nodes" },
			object: "worker-1", patch: patch, want: "nodes worker-1 is not patched: nodes have marks",
		},
		"a namespace in the message": {
			change: func(s *v1beta1.PatchObjectTrigger) { s.Namespace = "kvm" },
			object: "worker-1", patch: patch, want: "hypervisors kvm/worker-1 does not exist: ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := spec()
			if test.change != nil {
				test.change(changed)
			}
			client := clientWith(hypervisor(nil))
			progress, err := New(client).Do(t.Context(), stepOf(changed, test.object, test.patch))
			if err != nil || progress.State != v1beta1.StepFailed || !strings.HasPrefix(progress.Message, test.want) {
				t.Errorf("progress %+v, error %v, want failed with %s", progress, err, test.want)
			}
			if sent := patches(t, client); len(sent) > 0 {
				t.Errorf("it was patched: %v", sent)
			}
		})
	}
}

// A list is replaced as a whole, so what somebody else has added in between would be lost: the patch is made anew.
func TestChangedMeanwhile(t *testing.T) {
	const patch = `{"metadata":{"uid":"hv-uid"},"spec":{"traits":["c"]}}`
	client := clientWith(hypervisor(nil))
	conflicts := 1
	client.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		conflicts--
		return conflicts >= 0, nil, apierrors.NewConflict(hypervisors.GroupResource(), "worker-1", nil)
	})
	progress, err := New(client).Do(t.Context(), stepOf(spec(), "worker-1", patch))
	if err != nil || progress != action.Done() || len(patches(t, client)) != 2 {
		t.Errorf("progress %+v, error %v, %d patches, want done with 2", progress, err, len(patches(t, client)))
	}
}

// What the API server or a webhook keeps from being changed is said: the step would be done without effect.
func TestWhatWasNotChangedIsSaid(t *testing.T) {
	const said = "hypervisors worker-1 has been patched, but is not as the patch says: "
	for patch, lost := range map[string]string{
		`{"spec":{"maintenance":"manual"}}`:                                                 "",
		`{"spec":{"maintenance":"manual","version":null}}`:                                  "",
		`{"spec":{"traits":["c"]}}`:                                                         "spec.traits",
		`{"spec":{"maintenance":"manual"},"status":{"evicted":true}}`:                       "status.evicted",
		`{"spec":{"maintenance":null}}`:                                                     "",
		`{"spec":{"a":null,"traits":null}}`:                                                 "spec.traits",
		`{"status":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":{"g":1}},"spec":{"maintenance":1.5}}`: "status.a, status.b, status.c, status.d, status.e and 1 more",
	} {
		t.Run(patch, func(t *testing.T) {
			client := clientWith(hypervisor(nil))
			client.PrependReactor("patch", "*", func(request clienttesting.Action) (bool, runtime.Object, error) {
				var body map[string]any
				if err := json.Unmarshal(request.(clienttesting.PatchAction).GetPatch(), &body); err != nil {
					return true, nil, err
				}
				after := hypervisor(nil)
				if changed, has := body["spec"].(map[string]any)["maintenance"]; has {
					unstructured.RemoveNestedField(after.Object, "spec", "maintenance")
					if changed != nil {
						_ = unstructured.SetNestedField(after.Object, changed, "spec", "maintenance")
					}
				}
				return true, after, nil
			})
			want := action.Progress{State: v1beta1.StepDone}
			if lost != "" {
				want.Message = said + lost + ": the API server or a webhook has kept that from being changed"
			}
			recorded := strings.Replace(patch, "{", `{"metadata":{"uid":"hv-uid"},`, 1)
			if got, err := New(client).Do(t.Context(), stepOf(spec(), "worker-1", recorded)); err != nil || got != want {
				t.Errorf("progress %+v, error %v, want %+v", got, err, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		err        error
		wantFailed bool
	}{
		"the server may not": {err: apierrors.NewForbidden(hypervisors.GroupResource(), "worker-1", nil), wantFailed: true},
		"no answer":          {err: context.DeadlineExceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := clientWith(hypervisor(nil))
			client.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			progress, err := New(client).Do(t.Context(), stepOf(spec(), "worker-1", `{"metadata":{"uid":"hv-uid"},"spec":{"a":1}}`))
			if (progress.State == v1beta1.StepFailed) != test.wantFailed || (err == nil) != test.wantFailed {
				t.Errorf("progress %+v, error %v, want failed: %t", progress, err, test.wantFailed)
			}
		})
	}
}

// A number of 2^53 or more is another one as a float64.
func TestLargeNumbers(t *testing.T) {
	client := clientWith(hypervisor(nil))
	step := stepOf(spec(), "worker-1", `{"metadata":{"uid":"hv-uid"},"spec":{"a":9007199254740993}}`)
	if progress, err := New(client).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	patched, err := client.Resource(hypervisors).Get(t.Context(), "worker-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedInt64(patched.Object, "spec", "a"); got != 9007199254740993 {
		t.Errorf("the number is %d", got)
	}
}

func TestDryRun(t *testing.T) {
	client := clientWith(hypervisor(nil))
	step := stepOf(spec(), "worker-1", `{"metadata":{"uid":"hv-uid"},"spec":{"a":1}}`)
	step.DryRun = true
	if progress, err := New(client).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	for _, a := range client.Actions() {
		if sent, is := a.(clienttesting.PatchActionImpl); is && len(sent.PatchOptions.DryRun) != 1 {
			t.Error("the patch is not a dry run")
		}
	}
}
