// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func daemonSet(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// The verdicts are kubectl's, and trimming an object for the cache must not change them.
func TestDrainable(t *testing.T) {
	emptyDir := corev1.Volume{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
	secret := corev1.Volume{
		Name: "s", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}},
	}
	tests := map[string]struct {
		pod     drainertest.Pod
		want    bool
		wantErr bool
	}{
		"managed":   {pod: drainertest.Pod{Name: "p"}, want: true},
		"unmanaged": {pod: drainertest.Pod{Name: "p", Unmanaged: true}, want: true},
		"with local data": {
			pod: drainertest.Pod{Name: "p", Volumes: []corev1.Volume{secret, emptyDir}}, want: true,
		},
		"static": {pod: drainertest.Pod{Name: "p", Mirror: true}},
		"of a DaemonSet": {pod: drainertest.Pod{
			Name: "p", OwnerKind: "DaemonSet", OwnerName: "cached",
		}},
		"of a DaemonSet not cached yet": {pod: drainertest.Pod{
			Name: "p", OwnerKind: "DaemonSet", OwnerName: "fresh",
		}},
		"of a DaemonSet that is gone": {
			pod: drainertest.Pod{Name: "p", OwnerKind: "DaemonSet", OwnerName: "gone"}, want: true,
		},
		"of a DaemonSet nobody tells": {
			pod: drainertest.Pod{Name: "p", OwnerKind: "DaemonSet", OwnerName: "unknown"}, wantErr: true,
		},
		"finished, of a DaemonSet": {
			pod:  drainertest.Pod{Name: "p", OwnerKind: "DaemonSet", OwnerName: "cached", Phase: corev1.PodFailed},
			want: true,
		},
		"finished": {pod: drainertest.Pod{Name: "p", Phase: corev1.PodSucceeded}, want: true},
		"pending":  {pod: drainertest.Pod{Name: "p", Phase: corev1.PodPending}, want: true},
		"terminating": {
			pod: drainertest.Pod{Name: "p", TerminatingAt: drainertest.Epoch}, want: true,
		},
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	if err := indexer.Add(daemonSet("cached")); err != nil {
		t.Fatal(err)
	}
	client := kubefake.NewSimpleClientset(daemonSet("fresh"))
	client.PrependReactor("get", "daemonsets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.GetAction).GetName() == "unknown", nil, apierrors.NewInternalError(errors.New("down"))
	})
	selector := PodSelector{client: client, DaemonSets: appsv1listers.NewDaemonSetLister(indexer)}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			whole := test.pod.Object()
			trimmed, err := trim(whole.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			for kind, pod := range map[string]*corev1.Pod{"whole": whole, "trimmed": trimmed.(*corev1.Pod)} {
				other := drainertest.Pod{Name: "other"}.Object()
				got, err := selector.Drainable(t.Context(), drainertest.NodeName, []*corev1.Pod{pod, other})
				if got.Has(pod.UID) != test.want || (err != nil) != test.wantErr {
					t.Errorf("%s: drainable %t (%v), want %t, error: %t", kind, got.Has(pod.UID), err, test.want,
						test.wantErr)
				}
				if !got.Has(other.UID) {
					t.Errorf("%s: another pod was not judged for its sake", kind)
				}
				_, known, _ := selector.DrainableKnowing(t.Context(), drainertest.NodeName, []*corev1.Pod{
					pod, other,
				}, nil)
				again, _, err := selector.DrainableKnowing(t.Context(), drainertest.NodeName, []*corev1.Pod{
					pod, other,
				}, known)
				if !again.Equal(got) || (err != nil) != test.wantErr {
					t.Errorf("%s: asked again, it says %v (%v), and at first %v", kind, again, err, got)
				}
			}
		})
	}
}

func TestTrimKeepsWhatIsUsed(t *testing.T) {
	pod := drainertest.Pod{
		Name: "p", Volumes: []corev1.Volume{{Name: "s"}}, Finalizers: []string{"f"},
		Change: func(pod *corev1.Pod) {
			pod.Annotations = map[string]string{"big": strings.Repeat("x", 1000), "fits": strings.Repeat("y", 256)}
			pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled})
		},
	}.Object()
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	if _, err := trim(pod); err != nil {
		t.Fatal(err)
	}
	if len(pod.Annotations["big"]) != 257 || pod.ManagedFields != nil || pod.Spec.Containers != nil ||
		len(pod.Spec.Volumes) > 0 || len(pod.Status.Conditions) != 1 {
		t.Errorf("the pod still carries %+v", pod)
	}
	if !podutils.IsPodReady(pod) || len(pod.Annotations["fits"]) != 256 || len(pod.Finalizers) != 1 || pod.Spec.NodeName != drainertest.NodeName ||
		len(pod.Labels) == 0 || len(pod.OwnerReferences) == 0 {
		t.Errorf("the pod lost what is used: %+v", pod)
	}
	node := drainertest.Node{Unschedulable: true, Taints: []string{v1beta1.DrainTaint}, HoldsNote: "note"}.Object()
	node.Annotations["other"] = "x"
	node.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}}
	node.Spec.PodCIDR, node.Spec.ProviderID = "10.0.0.0/24", "aws:///eu-central-1a/i-1"
	if _, err := trim(node); err != nil {
		t.Fatal(err)
	}
	if len(node.Annotations) != 1 || node.Status.Images != nil || node.Spec.PodCIDR != "" {
		t.Errorf("the node still carries %+v", node)
	}
	if !nodemarks.Annotated(node) || !nodemarks.DrainTainted(node) || !node.Spec.Unschedulable ||
		NodeDead(node) || node.Labels["zone"] != "a" || node.Spec.ProviderID == "" {
		t.Errorf("the node lost what is used: %+v", node)
	}
}

func TestTrimTwice(t *testing.T) {
	drainertest.TransformTwice(t, trim, &v1beta1.NodeMaintenance{}, &corev1.Node{}, &corev1.Pod{}, &appsv1.DaemonSet{}, &corev1.Namespace{},
		&storagev1.VolumeAttachment{}, &policyv1.PodDisruptionBudget{})
}
