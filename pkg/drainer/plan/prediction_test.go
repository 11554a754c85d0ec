// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// written has a pod's managed fields be these.
func written(fields string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(fields)}}
	}
}

func TestPrediction(t *testing.T) {
	byName := func(pod *corev1.Pod) {
		tolerant("")(pod)
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "worker-1"}
	}
	named := "comes back: its controller names node worker-1 in spec.nodeName, and no cordon holds that up"
	tests := map[string]struct {
		pod         drainertest.Pod
		alone       bool
		wantCertain bool
		want        string
	}{
		"nothing": {pod: drainertest.Pod{Name: "p"}},
		"bound to the node, tolerant": {
			pod: drainertest.Pod{Name: "p", Change: byName}, wantCertain: true,
			want: "comes back: it tolerates the cordon, and fits only on node worker-1 " +
				"(a toleration of every taint; nodeSelector kubernetes.io/hostname=worker-1)",
		},
		"affinity to the node, tolerant": {
			pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) {
				tolerant("")(pod)
				pod.Spec.Affinity = affinityTo("worker-1")
			}},
			wantCertain: true,
			want:        "comes back: it tolerates the cordon, and fits only on node worker-1 (a toleration of every taint; node affinity)",
		},
		"bound to the node alone": {pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) {
			pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "worker-1"}
		}}},
		"tolerant alone": {
			pod:  drainertest.Pod{Name: "p", Change: tolerant("")},
			want: "may come back: it tolerates the cordon (a toleration of every taint)",
		},
		"tolerant, and there is no other node": {
			pod: drainertest.Pod{Name: "p", Change: tolerant("")}, alone: true, wantCertain: true,
			want: "comes back: it tolerates the cordon, and fits only on node worker-1 (a toleration of every taint)",
		},
		"tolerates only the cordon of kubectl": {
			pod: drainertest.Pod{Name: "p", Change: tolerant(corev1.TaintNodeUnschedulable)}, alone: true,
		},
		"named by its controller": {
			pod: drainertest.Pod{Name: "p", Change: written(`{"f:spec":{"f:nodeName":{}}}`)}, wantCertain: true, want: named,
		},
		"has a label of that name": {
			pod: drainertest.Pod{Name: "p", Change: written(`{"f:metadata":{"f:labels":{"f:nodeName":{}}},"f:spec":{}}`)},
		},
		"nobody creates it again": {pod: drainertest.Pod{Name: "p", Unmanaged: true, Change: byName}},
		"of a DaemonSet":          {pod: drainertest.Pod{Name: "p", OwnerKind: "DaemonSet", Change: byName}},
	}
	other := drainertest.Node{Name: "worker-2", Labels: map[string]string{corev1.LabelHostname: "worker-2"}}.Object()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			others := []*corev1.Node{other}
			if test.alone {
				others = nil
			}
			pod := test.pod.Object()
			want := Predictions{}
			if test.want != "" {
				want[pod.UID] = Prediction{Certain: test.wantCertain, Why: test.want}
			}
			if diff := cmp.Diff(want, Predict([]*corev1.Pod{pod}, "worker-1", others, cordon)); diff != "" {
				t.Errorf("prediction (-want +got):\n%s", diff)
			}
		})
	}
}

// The report lists the pods that are certain to come back, if they are evicted at all.
func TestReportOfPredictions(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "certain"}, {Name: "maybe"}, {Name: "skipped", App: "skipped"}, {Name: "done", Phase: corev1.PodSucceeded},
	})
	certain := Prediction{Certain: true, Why: "comes back"}
	report := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Budgets: snapshot(), Now: drainertest.Epoch,
		Holds: holdsOf(drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{
			drainertest.AppRule("skipped", v1beta1.ActionSkip, 0), drainertest.AppRule("web", v1beta1.ActionDrain, 0),
		}}),
		Predicted: Predictions{
			drainertest.UID("certain"): certain, drainertest.UID("maybe"): {Why: "may come back"},
			drainertest.UID("skipped"): certain, drainertest.UID("done"): certain,
		},
	}).Report(drainertest.UID("a"))
	if diff := cmp.Diff([]string{"default/certain"}, report.ReturningPods); diff != "" {
		t.Errorf("returning pods (-want +got):\n%s", diff)
	}
	const rule = "spec.drain.rules[1] of a says Drain"
	want := map[string]string{
		"default/certain": rule + "; comes back", "default/maybe": rule + "; may come back",
		"default/skipped": "spec.drain.rules[0] of a says Skip", "default/done": rule,
	}
	got := map[string]string{}
	for _, pod := range report.Pods {
		got[pod.Pod] = pod.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Only pods that may come back keep a node from being called empty.
func TestTolerant(t *testing.T) {
	toHost := func(host string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			tolerant("")(pod)
			pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: host}
		}
	}
	node := drainertest.Node{Labels: map[string]string{corev1.LabelHostname: drainertest.NodeName}}.Object()
	for name, test := range map[string]struct {
		pod  drainertest.Pod
		want bool
	}{
		"plain":                  {pod: drainertest.Pod{Name: "p"}},
		"tolerant":               {pod: drainertest.Pod{Name: "p", Change: tolerant("")}, want: true},
		"tolerant, to this node": {pod: drainertest.Pod{Name: "p", Change: toHost(drainertest.NodeName)}, want: true},
		"tolerant, to another":   {pod: drainertest.Pod{Name: "p", Change: toHost("worker-2")}},
		"tolerant, unmanaged":    {pod: drainertest.Pod{Name: "p", Unmanaged: true, Change: tolerant("")}},
		"tolerant, finished":     {pod: drainertest.Pod{Name: "p", Phase: corev1.PodSucceeded, Change: tolerant("")}},
	} {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects([]drainertest.Pod{test.pod})
			in := Input{Pods: pods, Drainable: uidsOf(pods), Cordon: []corev1.Taint{{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}}}
			if got := in.Tolerant(node).Len() == 1; got != test.want {
				t.Errorf("the pod may come back: %t, want %t", got, test.want)
			}
		})
	}
}
