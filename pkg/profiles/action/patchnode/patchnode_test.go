// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchnode

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

func node(change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "node-uid", ResourceVersion: "7"}}
	if change != nil {
		change(n)
	}
	return n
}

// stepOf is the first of the steps, all of which are recorded as Running.
func stepOf(on *corev1.Node, wanted ...changes) action.Step {
	transition := &v1beta1.RecordedTransition{ID: "np-uid/3.1", Phase: v1beta1.PhaseTriggers}
	for i := range wanted {
		transition.Steps = append(transition.Steps, v1beta1.TransitionStep{
			ID: string(rune('0'+i)) + "-mark", State: v1beta1.StepRunning, Trigger: v1beta1.ProfileTrigger{PatchNode: &wanted[i]},
		})
	}
	return action.Step{
		Profile: "flatcar", Node: on, Transition: transition, Recorded: &transition.Steps[0],
		NodeProfile: &v1beta1.NodeProfile{Spec: v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"}},
	}
}

// patches are the bodies of the patches that were sent.
func patches(t *testing.T, client *fake.Clientset) []map[string]any {
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

func TestPatch(t *testing.T) {
	full := func(n *corev1.Node) {
		n.Labels = map[string]string{"role": "db", "old": "1"}
		n.Annotations = map[string]string{"who": "me"}
		n.Finalizers = []string{"example.com/a", "example.com/b"}
	}
	tests := map[string]struct {
		node   *corev1.Node
		wanted []changes
		want   map[string]any // the metadata of the patch without UID and resourceVersion; nil: nothing is sent
	}{
		// The SAP maintenance-controller panics on a node without annotations.
		"a node without any annotation": {
			node: node(nil), wanted: []changes{{Annotations: map[string]string{"a": "1"}, Labels: map[string]string{"l": ""}}},
			want: map[string]any{"annotations": map[string]any{"a": "1"}, "labels": map[string]any{"l": ""}},
		},
		"set and remove": {
			node: node(full),
			wanted: []changes{{
				Labels: map[string]string{"role": "web", "new": "2"}, RemoveLabels: []string{"old", "never"}, RemoveAnnotations: []string{"who"},
				AddFinalizers: []string{"example.com/c", "example.com/a"}, RemoveFinalizers: []string{"example.com/b"},
			}},
			want: map[string]any{
				"labels": map[string]any{"role": "web", "new": "2", "old": nil}, "annotations": nil,
				"finalizers": []any{"example.com/a", "example.com/c"},
			},
		},
		"it is so already": {
			node: node(full),
			wanted: []changes{{
				Labels: map[string]string{"role": "db"}, RemoveLabels: []string{"never"}, AddFinalizers: []string{"example.com/a"},
			}},
		},
		"the last finalizer": {
			node: node(full), wanted: []changes{{RemoveFinalizers: []string{"example.com/b", "example.com/a"}}},
			want: map[string]any{"finalizers": nil},
		},
		"neighbours are one patch, and the last one counts": {
			node: node(nil),
			wanted: []changes{
				{Labels: map[string]string{"a": "1", "b": "1"}}, {Annotations: map[string]string{"c": "1"}}, {RemoveLabels: []string{"a"}},
			},
			want: map[string]any{"labels": map[string]any{"b": "1"}, "annotations": map[string]any{"c": "1"}},
		},
		"a node that is being deleted gets no finalizer": {
			node: node(func(n *corev1.Node) {
				full(n)
				n.DeletionTimestamp = &metav1.Time{}
			}),
			wanted: []changes{{AddFinalizers: []string{"example.com/c"}, RemoveFinalizers: []string{"example.com/a"}}},
			want:   map[string]any{"finalizers": []any{"example.com/b"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(test.node)
			progress, err := New(client).Do(t.Context(), stepOf(test.node, test.wanted...))
			if err != nil || progress != action.Done() {
				t.Fatalf("progress %+v, error %v, want done", progress, err)
			}
			var want []map[string]any
			if test.want != nil {
				test.want["uid"], test.want["resourceVersion"] = "node-uid", "7"
				want = []map[string]any{{"metadata": test.want}}
			}
			if diff := cmp.Diff(want, patches(t, client)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNeighboursThatHaveNotBegunAreLeftAlone(t *testing.T) {
	n := node(nil)
	step := stepOf(n, changes{Labels: map[string]string{"a": "1"}}, changes{Labels: map[string]string{"b": "1"}})
	step.Transition.Steps[1].State = v1beta1.StepPending
	client := fake.NewClientset(n)
	if progress, err := New(client).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	want := map[string]any{"a": "1"}
	if diff := cmp.Diff(want, patches(t, client)[0]["metadata"].(map[string]any)["labels"]); diff != "" {
		t.Error(diff)
	}
}

// The SAP maintenance-controller patches without a resourceVersion, so it replaces finalizers that somebody else has
// changed in between; and its plugins patch nodes so that its last patch fails.
func TestWhatOthersChangeStays(t *testing.T) {
	stale := node(nil)
	client := fake.NewClientset(node(func(n *corev1.Node) { n.Finalizers, n.ResourceVersion = []string{"example.com/other"}, "8" }))
	refused := false
	client.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		if refused {
			return false, nil, nil
		}
		refused = true
		return true, nil, apierrors.NewConflict(corev1.Resource("nodes"), "worker-1", nil)
	})
	progress, err := New(client).Do(t.Context(), stepOf(stale, changes{AddFinalizers: []string{"example.com/ours"}}))
	if err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	sent := patches(t, client)
	want := map[string]any{"metadata": map[string]any{
		"uid": "node-uid", "resourceVersion": "8", "finalizers": []any{"example.com/other", "example.com/ours"},
	}}
	if diff := cmp.Diff(want, sent[len(sent)-1]); diff != "" || len(sent) != 2 {
		t.Errorf("%d patches: %s", len(sent), diff)
	}
}

func TestFailed(t *testing.T) {
	one := changes{Labels: map[string]string{"a": "1"}}
	tests := map[string]struct {
		stored, known *corev1.Node
		wanted        changes
		want          string
	}{
		"our own label": {
			stored: node(nil), known: node(nil), wanted: changes{RemoveLabels: []string{v1beta1.ExcludeFromRemediationLabel}},
			want: "remediation.medik8s.io/exclude-from-remediation cannot be changed: only the server itself sets it on nodes",
		},
		"our own annotation": {
			stored: node(nil), known: node(nil), wanted: changes{Annotations: map[string]string{v1beta1.HoldsAnnotation: "{}"}},
			want: "maintenance.medik8s.io/holds cannot be changed: only the server itself sets it on nodes",
		},
		"the node is gone":                {stored: node(nil), wanted: one, want: "node worker-1 does not exist any more"},
		"the cache has not seen it go":    {known: node(nil), wanted: one, want: "node worker-1 does not exist any more"},
		"another node has the name":       {stored: node(func(n *corev1.Node) { n.UID = "other" }), known: node(nil), wanted: one, want: "node worker-1 does not exist any more"},
		"the API server refuses the node": {stored: node(func(n *corev1.Node) { n.Spec.ProviderID = "refuse" }), known: node(nil), wanted: one, want: "could not patch node worker-1: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			if test.stored != nil {
				client = fake.NewClientset(test.stored)
			}
			client.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
				refuse := test.stored != nil && test.stored.Spec.ProviderID == "refuse"
				return refuse, nil, apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Node").GroupKind(), "worker-1", nil)
			})
			progress, err := New(client).Do(t.Context(), stepOf(test.known, test.wanted))
			if err != nil || progress.State != v1beta1.StepFailed || !strings.HasPrefix(progress.Message, test.want) {
				t.Errorf("progress %+v, error %v, want failed with %q", progress, err, test.want)
			}
		})
	}
}

func TestDryRun(t *testing.T) {
	n := node(nil)
	step, client := stepOf(n, changes{Labels: map[string]string{"a": "1"}}), fake.NewClientset(n)
	step.DryRun = true
	if progress, err := New(client).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	for _, sent := range client.Actions() {
		if patch, is := sent.(clienttesting.PatchActionImpl); is && !cmp.Equal(patch.PatchOptions.DryRun, []string{metav1.DryRunAll}) {
			t.Errorf("the patch is not a dry run: %+v", patch)
		}
	}
}
