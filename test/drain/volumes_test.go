// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// bind makes a claim that is bound to a volume. Only nodes that fit the affinity can have it.
func (p *pool) bind(t *testing.T, claim string, source corev1.PersistentVolumeSource, affinity *corev1.VolumeNodeAffinity) (volume string) {
	t.Helper()
	volume = p.Name + "-" + claim
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	_, err := p.Kube.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, PersistentVolumeSource: source, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{Namespace: p.Name, Name: claim}, NodeAffinity: affinity,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not create a volume: %v", err)
	}
	t.Cleanup(func() {
		_ = p.Kube.CoreV1().PersistentVolumes().Delete(context.Background(), volume, metav1.DeleteOptions{})
	})
	_, err = p.Kube.CoreV1().PersistentVolumeClaims(p.Name).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: claim},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, Resources: corev1.VolumeResourceRequirements{Requests: size}, StorageClassName: new(""), VolumeName: volume,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not create a claim: %v", err)
	}
	return volume
}

// attached makes a claim that is bound to a volume, which is attached to the node.
func (p *pool) attached(t *testing.T, claim, node string) (volume string) {
	t.Helper()
	source := corev1.CSIPersistentVolumeSource{Driver: "test.example.com", VolumeHandle: p.Name + "-" + claim}
	volume = p.bind(t, claim, corev1.PersistentVolumeSource{CSI: &source}, nil)
	p.attach(t, volume, node)
	return volume
}

func (p *pool) attach(t *testing.T, volume, node string) {
	t.Helper()
	attachments := p.Kube.StorageV1().VolumeAttachments()
	_, err := attachments.Create(t.Context(), &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: volume},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: "test.example.com", NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not attach a volume: %v", err)
	}
	t.Cleanup(func() {
		_ = attachments.Delete(context.Background(), volume, metav1.DeleteOptions{}) // a test may have done so
	})
}

// A pod with a local volume is evicted like others, and waits for its node then. Whoever drains the node is told before.
func TestPodWithLocalVolume(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	p.apply(t, p.workload().Deployment("web", 2, p.Selector()))
	node := p.Nodes[0]
	volume := p.bind(t, "data", corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/data"}}, &corev1.VolumeNodeAffinity{
		Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}},
	})
	p.Run(t, p.workload().StatefulSet("db", 1, p.Selector(), localcluster.Claim("data")))
	hold := p.Hold("a", node)
	plan := p.Kubectl().Must(t, "", "get", "nodes.maintenance.medik8s.io", node, "--subresource=drainplan", "-o", "wide")
	if want := fmt.Sprintf("fits only on node %s (volume %s of claim data), so it is Pending until that is back in service", node, volume); !strings.Contains(plan, want) {
		t.Errorf("the plan is\n%s\nwant in it %q", plan, want)
	}
	wantWarnings(t, p.Kubectl().Try(t, manifest(t, hold), "create", "-f", "-"), fmt.Sprintf(
		"pods of node %q can run on no other node, so that they are Pending from their eviction until it is back in service: 1 (%s/db-0)", node, p.Name))
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	onNode := func(want string) func(context.Context) string {
		return func(ctx context.Context) string {
			pod, err := p.pod(ctx, "db-0")
			if err != nil {
				return err.Error()
			}
			if pod.Spec.NodeName != want {
				return fmt.Sprintf("it is on node %q, want %q", pod.Spec.NodeName, want)
			}
			return ""
		}
	}
	env.Eventually(t, "the pod waits for its node", onNode(""))
	p.Delete(t, hold.Name)
	env.Eventually(t, "the pod is on its node again", onNode(node))
}

func TestVolumesDetached(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.apply(t, p.workload().Pod("web", localcluster.OnNode(node)))
	moved, staying := p.attached(t, "moved", node), p.attached(t, "staying", node)
	p.Run(t, p.workload().
		Pod("db", localcluster.OnNode(node), localcluster.Claim("moved")).
		DaemonSet("agent", p.Selector(), localcluster.Claim("staying")))
	hold := p.Create(t, p.Hold("a", node))
	attached := p.WaitForHold(t, hold.Name, "node drained, volume attached", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && condition(nm, v1beta1.ConditionVolumesDetached).Status == metav1.ConditionFalse
	})
	message := condition(attached, v1beta1.ConditionVolumesDetached).Message
	if !strings.Contains(message, moved) || strings.Contains(message, staying) {
		t.Errorf("VolumesDetached says %q, want %s alone", message, moved)
	}
	if err := p.Kube.StorageV1().VolumeAttachments().Delete(t.Context(), moved, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.Kubectl().Must(t, "", "wait", "--for=condition=VolumesDetached", "nm/"+hold.Name, "--timeout="+env.Timeout.String())
}
