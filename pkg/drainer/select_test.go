// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

func daemonSet(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func withVolumes(volumes ...corev1.Volume) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.Volumes = volumes }
}

func bare(pod *corev1.Pod) { pod.OwnerReferences = nil }

// The verdicts are kubectl's, and trimming an object for the cache must not change them.
func TestDrainable(t *testing.T) {
	emptyDir := corev1.Volume{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
	secret := corev1.Volume{Name: "s", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}}
	tests := map[string]struct {
		pod     *corev1.Pod
		want    bool
		wantErr bool
	}{
		"managed":                       {pod: makePod("p"), want: true},
		"unmanaged":                     {pod: makePod("p", bare), want: true},
		"with local data":               {pod: makePod("p", withVolumes(secret, emptyDir)), want: true},
		"static":                        {pod: makePod("p", mirror)},
		"of a DaemonSet":                {pod: makePod("p", ownedBy("DaemonSet", "cached"))},
		"of a DaemonSet not cached yet": {pod: makePod("p", ownedBy("DaemonSet", "fresh"))},
		"of a DaemonSet that is gone":   {pod: makePod("p", ownedBy("DaemonSet", "gone")), want: true},
		"of a DaemonSet nobody tells":   {pod: makePod("p", ownedBy("DaemonSet", "unknown")), wantErr: true},
		"finished, of a DaemonSet":      {pod: makePod("p", ownedBy("DaemonSet", "cached"), inPhase(corev1.PodFailed)), want: true},
		"finished":                      {pod: makePod("p", inPhase(corev1.PodSucceeded)), want: true},
		"pending":                       {pod: makePod("p", inPhase(corev1.PodPending)), want: true},
		"terminating":                   {pod: makePod("p", terminatingAt(epoch)), want: true},
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if err := indexer.Add(daemonSet("cached")); err != nil {
		t.Fatal(err)
	}
	client := kubefake.NewSimpleClientset(daemonSet("fresh"))
	client.PrependReactor("get", "daemonsets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.GetAction).GetName() == "unknown", nil, apierrors.NewInternalError(errors.New("down"))
	})
	selector := podSelector{client: client, daemonSets: appsv1listers.NewDaemonSetLister(indexer)}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trimmed, err := trim(test.pod.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			for kind, pod := range map[string]*corev1.Pod{"whole": test.pod, "trimmed": trimmed.(*corev1.Pod)} {
				other := makePod("other")
				got, err := selector.drainable(t.Context(), testNode, []*corev1.Pod{pod, other})
				if got.Has(pod.UID) != test.want || (err != nil) != test.wantErr {
					t.Errorf("%s: drainable %t (%v), want %t, error: %t", kind, got.Has(pod.UID), err, test.want, test.wantErr)
				}
				if !got.Has(other.UID) {
					t.Errorf("%s: another pod was not judged for its sake", kind)
				}
				_, known, _ := selector.drainableKnowing(t.Context(), testNode, []*corev1.Pod{pod, other}, nil)
				again, _, err := selector.drainableKnowing(t.Context(), testNode, []*corev1.Pod{pod, other}, known)
				if !again.Equal(got) || (err != nil) != test.wantErr {
					t.Errorf("%s: asked again, it says %v (%v), and at first %v", kind, again, err, got)
				}
			}
		})
	}
}

func TestTrimKeepsWhatIsUsed(t *testing.T) {
	pod := makePod("p", withVolumes(corev1.Volume{Name: "s"}), finalized("f"), func(pod *corev1.Pod) {
		pod.Annotations = map[string]string{"big": "thing"}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled})
	})
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	if _, err := trim(pod); err != nil {
		t.Fatal(err)
	}
	if pod.Annotations != nil || pod.ManagedFields != nil || pod.Spec.Containers != nil || len(pod.Spec.Volumes) > 0 || len(pod.Status.Conditions) != 1 {
		t.Errorf("the pod still carries %+v", pod)
	}
	if !podReady(pod) || len(pod.Finalizers) != 1 || pod.Spec.NodeName != testNode || len(pod.Labels) == 0 || len(pod.OwnerReferences) == 0 {
		t.Errorf("the pod lost what is used: %+v", pod)
	}
	node := cordonedNode("note")
	node.Annotations["other"] = "x"
	node.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}}
	node.Spec.PodCIDR = "10.0.0.0/24"
	if _, err := trim(node); err != nil {
		t.Fatal(err)
	}
	if len(node.Annotations) != 1 || node.Status.Images != nil || node.Spec.PodCIDR != "" {
		t.Errorf("the node still carries %+v", node)
	}
	if !annotated(node) || !drainTainted(node) || !node.Spec.Unschedulable || nodeDead(node) || node.Labels["zone"] != "a" {
		t.Errorf("the node lost what is used: %+v", node)
	}
}
