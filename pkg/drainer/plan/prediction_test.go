// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// written has a pod's managed fields be these.
func written(fields string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(fields)}}
	}
}

// hostNode is a node with the label that has its name.
func hostNode(name string) *corev1.Node {
	return drainertest.Node{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}.Object()
}

// nodesNamed selects the nodes with these names.
func nodesNamed(names ...string) *corev1.NodeSelector {
	return affinityTo(names...).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func toNode(pod *corev1.Pod) {
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "worker-1"}
}

func TestPrediction(t *testing.T) {
	byName := func(pod *corev1.Pod) {
		tolerant("")(pod)
		toNode(pod)
	}
	local := func(names ...string) (volumes []Volume) {
		for _, name := range names {
			volumes = append(volumes, Volume{Claim: "claim-" + name, Name: name, Nodes: nodesNamed("worker-1")})
		}
		return volumes
	}
	anywhere := Volume{Claim: "c", Name: "remote"}
	named := "comes back: its controller names node worker-1 in spec.nodeName, and no cordon holds that up"
	tests := map[string]struct {
		pod         drainertest.Pod
		volumes     []Volume
		alone       bool
		wantReturns bool
		wantWaits   bool
		want        string
	}{
		"nothing": {pod: drainertest.Pod{Name: "p"}},
		"bound to the node, tolerant": {
			pod: drainertest.Pod{Name: "p", Change: byName}, wantReturns: true,
			want: "comes back: it tolerates the cordon, and fits only on node worker-1 " +
				"(a toleration of every taint; nodeSelector kubernetes.io/hostname=worker-1)",
		},
		"affinity to the node, tolerant": {
			pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) {
				tolerant("")(pod)
				pod.Spec.Affinity = affinityTo("worker-1")
			}},
			wantReturns: true,
			want:        "comes back: it tolerates the cordon, and fits only on node worker-1 (a toleration of every taint; node affinity)",
		},
		"bound to the node": {
			pod: drainertest.Pod{Name: "p", Change: toNode}, wantWaits: true,
			want: "fits only on node worker-1 (nodeSelector kubernetes.io/hostname=worker-1), so it is Pending until that is back in service",
		},
		"bound to the node, and there is no other": {pod: drainertest.Pod{Name: "p", Change: toNode}, alone: true},
		"bound to a node that there is besides": {pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) {
			pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "worker-2"}
		}}},
		"has a local volume": {
			pod: drainertest.Pod{Name: "p"}, volumes: append(local("a"), anywhere), wantWaits: true,
			want: "fits only on node worker-1 (volume a of claim claim-a), so it is Pending until that is back in service",
		},
		"has local volumes, and is bound to the node": {
			pod: drainertest.Pod{Name: "p", Change: toNode}, volumes: local("a", "b"), wantWaits: true,
			want: "fits only on node worker-1 (nodeSelector kubernetes.io/hostname=worker-1; volume a of claim claim-a; volume b of claim claim-b), " +
				"so it is Pending until that is back in service",
		},
		"has a local volume, and selects others too": {
			pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) { pod.Spec.Affinity = affinityTo("worker-1", "worker-2") }}, volumes: local("a"),
			wantWaits: true, want: "fits only on node worker-1 (volume a of claim claim-a), so it is Pending until that is back in service",
		},
		"selects one node, and a volume wants another": {
			pod: drainertest.Pod{Name: "p", Change: func(pod *corev1.Pod) { pod.Spec.Affinity = affinityTo("worker-1", "worker-2") }}, wantWaits: true,
			volumes: []Volume{{Claim: "c", Name: "v", Nodes: nodesNamed("worker-1", "worker-3")}},
			want:    "fits only on node worker-1 (node affinity; volume v of claim c), so it is Pending until that is back in service",
		},
		"has a volume of several nodes": {
			pod: drainertest.Pod{Name: "p"}, volumes: []Volume{{Claim: "c", Name: "v", Nodes: nodesNamed("worker-1", "worker-2")}},
		},
		"has a volume of all nodes": {pod: drainertest.Pod{Name: "p"}, volumes: []Volume{anywhere}},
		"has a local volume, tolerant": {
			pod: drainertest.Pod{Name: "p", Change: tolerant("")}, volumes: local("a"), wantReturns: true,
			want: "comes back: it tolerates the cordon, and fits only on node worker-1 (a toleration of every taint; volume a of claim claim-a)",
		},
		"a volume is not known": {
			pod: drainertest.Pod{Name: "p"}, volumes: []Volume{anywhere, {Claim: "c", Unknown: "no answer"}},
			want: "whether another node can run it is not known: no answer",
		},
		"a volume is not known, and another is local": {
			pod: drainertest.Pod{Name: "p"}, volumes: append(local("a"), Volume{Claim: "c", Unknown: "no answer"}), wantWaits: true,
			want: "fits only on node worker-1 (volume a of claim claim-a), so it is Pending until that is back in service",
		},
		"tolerant alone": {
			pod:  drainertest.Pod{Name: "p", Change: tolerant("")},
			want: "may come back: it tolerates the cordon (a toleration of every taint)",
		},
		"tolerant, and there is no other node": {
			pod: drainertest.Pod{Name: "p", Change: tolerant("")}, alone: true, wantReturns: true,
			want: "comes back: it tolerates the cordon, and fits only on node worker-1 (a toleration of every taint)",
		},
		"tolerates only the cordon of kubectl": {
			pod: drainertest.Pod{Name: "p", Change: tolerant(corev1.TaintNodeUnschedulable)}, alone: true,
		},
		"named by its controller": {
			pod: drainertest.Pod{Name: "p", Change: written(`{"f:spec":{"f:nodeName":{}}}`)}, wantReturns: true, want: named,
		},
		"has a label of that name": {
			pod: drainertest.Pod{Name: "p", Change: written(`{"f:metadata":{"f:labels":{"f:nodeName":{}}},"f:spec":{}}`)},
		},
	}
	others := []*corev1.Node{hostNode("worker-2"), hostNode("worker-3")}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			others := slices.Clone(others)
			if test.alone {
				others = nil
			}
			pod := test.pod.Object()
			want := Predictions{}
			if test.want != "" {
				want[pod.UID] = Prediction{Returns: test.wantReturns, Waits: test.wantWaits, Why: test.want}
			}
			if diff := cmp.Diff(want, Predict([]*corev1.Pod{pod}, "worker-1", others, cordon, map[types.UID][]Volume{pod.UID: test.volumes})); diff != "" {
				t.Errorf("prediction (-want +got):\n%s", diff)
			}
		})
	}
}

// The report lists the pods that are certain to come back, and those that wait.
func TestReportOfPredictions(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{{Name: "certain"}, {Name: "maybe"}, {Name: "waiting"}, {Name: "skipped", App: "skipped"}})
	report := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Budgets: snapshot(), Now: drainertest.Epoch,
		Holds: holdsOf(drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{
			drainertest.AppRule("skipped", v1beta1.ActionSkip, 0), drainertest.AppRule("web", v1beta1.ActionDrain, 0),
		}}),
	}).Report(drainertest.UID("a"), Predictions{
		drainertest.UID("certain"): {Returns: true, Why: "comes back"}, drainertest.UID("maybe"): {Why: "may come back"},
		drainertest.UID("waiting"): {Waits: true, Why: "fits only there"},
	})
	lists := map[string][]string{"returning": report.ReturningPods, "unschedulable": report.UnschedulablePods}
	if diff := cmp.Diff(map[string][]string{"returning": {"default/certain"}, "unschedulable": {"default/waiting"}}, lists); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	const rule = "spec.drain.rules[1] of a says Drain"
	want := map[string]string{
		"default/certain": rule + "; comes back", "default/maybe": rule + "; may come back", "default/waiting": rule + "; fits only there",
		"default/skipped": "spec.drain.rules[0] of a says Skip",
	}
	got := map[string]string{}
	for _, pod := range report.Pods {
		got[pod.Pod] = pod.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Only pods that the hold has evicted, and that somebody creates again, come back or wait.
func TestRecreated(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "web"},
		{Name: "skipped", App: "skipped"},
		{Name: "others", App: "others"},
		{Name: "done", Phase: corev1.PodSucceeded},
		{Name: "bare", Unmanaged: true},
		{Name: "agent", OwnerKind: "DaemonSet"},
		{Name: "job", DrainLabel: v1beta1.DrainLabelWaitCompleted},
	})
	made := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Budgets: snapshot(), Now: drainertest.Epoch,
		Holds: holdsOf(drainertest.Hold{Name: "a", Rules: []v1beta1.DrainRule{
			drainertest.AppRule("skipped", v1beta1.ActionSkip, 0), drainertest.AppRule("others", v1beta1.ActionSkip, 0),
		}}, drainertest.Hold{Name: "b", SelectApp: "others"}),
	})
	if diff := cmp.Diff([]string{"default/web"}, Keys(made.Recreated(drainertest.UID("a")))); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
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
	node := hostNode(drainertest.NodeName)
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
