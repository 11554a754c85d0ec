// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

func makeAttachment(volume, node string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + volume},
		Spec: storagev1.VolumeAttachmentSpec{
			NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
		},
	}
}

func makeClaim(name, volume string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: volume},
	}
}

func (c *cluster) detach(volume string) {
	c.t.Helper()
	c.Remove(stored[*storagev1.VolumeAttachment](c, "", "csi-"+volume))
	c.settle()
}

func (c *cluster) volumesMessage(hold string) string {
	return holdstatus.ConditionMessage(c.hold(hold).Status, v1beta1.ConditionVolumesDetached)
}

func TestVolumesDetached(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), daemonSet("ds"), drainertest.Pod{
		Name: "db-0", Volumes: []corev1.Volume{drainertest.ClaimVolume("data")},
	}.Object(),
		drainertest.Pod{
			Name: "ds-1", OwnerKind: "DaemonSet", OwnerName: "ds",
			Volumes: []corev1.Volume{drainertest.ClaimVolume("cache")},
		}.Object(), drainertest.Pod{
			Name: "kept", DrainLabel: "skip", Volumes: []corev1.Volume{drainertest.EphemeralVolume("scratch")},
		}.Object(),
		drainertest.Pod{
			Name: "lost", DrainLabel: "skip", Volumes: []corev1.Volume{drainertest.ClaimVolume("gone")},
		}.Object(),
		makeClaim("data", "pv-data"), makeClaim("cache", "pv-cache"), makeClaim("kept-scratch", "pv-scratch"),
		makeAttachment("pv-data", drainertest.NodeName), makeAttachment("pv-cache", drainertest.NodeName),
		makeAttachment("pv-scratch", drainertest.NodeName),
		makeAttachment("pv-other", "worker-2")), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.finish("db-0")
		c.wait(holdstatus.WriteInterval)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached)
		if got, want := c.volumesMessage("a"), "still attached to node worker-1: pv-data"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		c.detach("pv-data")
		c.wait(holdstatus.WriteInterval)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionTrue, v1beta1.ReasonNoVolumesAttached)
	})
}

func TestVolumesThatCannotBeToldApart(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(),
			drainertest.Pod{
				Name: "kept", DrainLabel: "skip", Volumes: []corev1.Volume{drainertest.ClaimVolume("data")},
			}.Object(),
			makeAttachment("pv-data", drainertest.NodeName))
		c.Inject(drainertest.Failing("get", "persistentvolumeclaims", drainertest.NotYou("persistentvolumeclaims")))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
			t.Errorf("lastError is %q", got)
		}
		if got := c.volumesMessage("a"); got != "" {
			t.Errorf("VolumesDetached says %q of what is not known", got)
		}
		c.Heal()
		c.wait(time.Minute)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached)
	})
}

// makeVolume is one that only the nodes with these names can have, or every one.
func makeVolume(name string, nodes ...string) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if len(nodes) > 0 {
		volume.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}},
		}}}}
	}
	return volume
}

// withVolumes is a cluster of two nodes with a pod for each kind of volume, and counts the requests for claims and volumes.
func withVolumes(t *testing.T, reads *atomic.Int32) *cluster {
	pod := func(name string, volume corev1.Volume) *corev1.Pod {
		return drainertest.Pod{Name: name, Volumes: []corev1.Volume{volume}}.Object()
	}
	going := makeClaim("going", "pv-local")
	going.DeletionTimestamp, going.Finalizers = &metav1.Time{Time: drainertest.Epoch}, []string{"kubernetes.io/pvc-protection"}
	node := func(name string) *corev1.Node {
		return drainertest.Node{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}.Object()
	}
	c := newCluster(
		t, node("worker-1"), node("worker-2"),
		pod("web", drainertest.EmptyDir()), pod("local", drainertest.ClaimVolume("local")), pod("zonal", drainertest.ClaimVolume("zonal")),
		pod("remote", drainertest.ClaimVolume("remote")), pod("scratch", drainertest.EphemeralVolume("scratch")),
		pod("going", drainertest.ClaimVolume("going")), pod("lost", drainertest.ClaimVolume("lost")), pod("gone", drainertest.ClaimVolume("gone")),
		makeClaim("local", "pv-local"), makeClaim("zonal", "pv-zonal"), makeClaim("remote", "pv-remote"), makeClaim("scratch-scratch", "pv-local"),
		going, makeClaim("lost", "pv-lost"),
		makeVolume("pv-local", "worker-1"), makeVolume("pv-zonal", "worker-1", "worker-2"), makeVolume("pv-remote"),
	)
	c.Inject(func(action clienttesting.Action) (bool, error) {
		if resource := action.GetResource(); resource == drainertest.Claims || resource == drainertest.Volumes {
			reads.Add(1)
		}
		return false, nil
	})
	return c
}

// A plan that is shown says which pods only this node can run. What nobody sees reads nothing of volumes.
func TestPlanOfPodsWithLocalVolumes(t *testing.T) {
	var reads atomic.Int32
	inCluster(t, func(t *testing.T) *cluster { return withVolumes(t, &reads) }, func(c *cluster) {
		plan, err := c.drainer.Plan(context.Background(), drainertest.Hold{Name: "a"}.Object(), false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"default/local"}, plan.UnschedulablePods); diff != "" {
			t.Errorf("pods that no other node can run (-want +got):\n%s", diff)
		}
		for _, pod := range plan.Pods {
			want := map[string]string{
				"default/local": "fits only on node worker-1 (volume pv-local of claim local), so it is Pending until that is back in service",
				"default/web":   "the data of its emptyDir volumes are lost",
			}[pod.Pod]
			if pod.Message != want {
				t.Errorf("pod %s: %q, want %q", pod.Pod, pod.Message, want)
			}
		}
		if got, want := reads.Load(), int32(6+4); got != want { // each claim, and what those that last are bound to
			t.Errorf("%d requests for claims and volumes, want %d", got, want)
		}
		before := reads.Load()
		if _, err := c.drainer.Outline(context.Background(), drainertest.Hold{Name: "a"}.Object()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.drainer.Plan(context.Background(), drainertest.Hold{Name: "a", SelectApp: "other"}.Object(), false); err != nil {
			t.Fatal(err)
		}
		if got := reads.Load() - before; got != 0 {
			t.Errorf("%d requests for what is not shown, and for pods that stay", got)
		}
	})
}

// A plan whose volumes cannot be read is made all the same, says so, and takes a bounded number of requests.
func TestPlanOfVolumesThatCannotBeRead(t *testing.T) {
	var reads atomic.Int32
	inCluster(t, func(t *testing.T) *cluster {
		c := withVolumes(t, &reads)
		c.Inject(drainertest.Failing("get", "persistentvolumes", drainertest.NotYou("persistentvolumes")))
		return c
	}, func(c *cluster) {
		many := drainertest.Pod{Name: "many"}
		for i := range 600 {
			volume := drainertest.ClaimVolume(fmt.Sprintf("many-%d", i))
			many.Volumes = append(many.Volumes, volume)
		}
		c.Add(many.Object())
		plan, err := c.drainer.Plan(context.Background(), drainertest.Hold{Name: "a"}.Object(), false)
		if err != nil {
			t.Fatal(err)
		}
		messages := map[string]string{}
		for _, pod := range plan.Pods {
			messages[pod.Pod] = pod.Message
		}
		const unknown = "whether another node can run it is not known: "
		if got, want := messages["default/many"], unknown+"PersistentVolumeClaim default/many-"; !strings.HasPrefix(got, want) {
			t.Errorf("of a pod with 600 claims the plan says %q, want %q", got, want)
		}
		if got, want := messages["default/local"], unknown+"could not get PersistentVolume pv-local: "; !strings.HasPrefix(got, want) {
			t.Errorf("of a pod whose volume is forbidden the plan says %q, want %q", got, want)
		}
		if len(plan.UnschedulablePods) > 0 || reads.Load() > clusterwatch.MaxClaims {
			t.Errorf("the plan lists %v after %d requests", plan.UnschedulablePods, reads.Load())
		}
	})
}

func TestListed(t *testing.T) {
	var names []string
	for i := range 5 {
		names = append(names, fmt.Sprintf("pv-%d", i))
	}
	if got, want := quote.Names(names, 3), "pv-0, pv-1, pv-2 and 2 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := quote.Names(names, 5), "pv-0, pv-1, pv-2, pv-3, pv-4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func daemonSet(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
}
