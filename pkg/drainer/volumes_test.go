// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func makeAttachment(volume, node string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + volume},
		Spec:       storagev1.VolumeAttachmentSpec{NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
	}
}

func makeClaim(name, volume string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: volume},
	}
}

func claiming(claim string) func(*corev1.Pod) {
	return withVolumes(corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
	}})
}

func ephemeral(name string) func(*corev1.Pod) {
	return withVolumes(corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}})
}

func (c *cluster) detach(volume string) {
	c.t.Helper()
	if err := c.kube.StorageV1().VolumeAttachments().Delete(c.t.Context(), "csi-"+volume, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
}

func (c *cluster) volumesMessage(hold string) string {
	return conditionMessage(c.hold(hold).Status, v1beta1.ConditionVolumesDetached)
}

func TestVolumesDetached(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), daemonSet("ds"), makePod("db-0", claiming("data")),
			makePod("ds-1", ownedBy("DaemonSet", "ds"), claiming("cache")), makePod("kept", drainLabel("skip"), ephemeral("scratch")),
			makePod("lost", drainLabel("skip"), claiming("gone")),
			makeClaim("data", "pv-data"), makeClaim("cache", "pv-cache"), makeClaim("kept-scratch", "pv-scratch"),
			makeAttachment("pv-data", testNode), makeAttachment("pv-cache", testNode), makeAttachment("pv-scratch", testNode),
			makeAttachment("pv-other", "worker-2"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.finish("db-0")
		c.wait(statusInterval)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached)
		if got, want := c.volumesMessage("a"), "still attached to node worker-1: pv-data"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		c.detach("pv-data")
		c.wait(statusInterval)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionTrue, v1beta1.ReasonNoVolumesAttached)
	})
}

func TestVolumesThatCannotBeToldApart(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("kept", drainLabel("skip"), claiming("data")), makeAttachment("pv-data", testNode))
		c.kube.PrependReactor("get", "persistentvolumeclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(corev1.Resource("persistentvolumeclaims"), "data", errors.New("not you"))
		})
		return c
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.wait(statusInterval)
		if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
			t.Errorf("lastError is %q", got)
		}
		if got := c.volumesMessage("a"); got != "" {
			t.Errorf("VolumesDetached says %q of what is not known", got)
		}
		dropReactor(&c.kube.Fake)
		c.wait(time.Minute)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached)
	})
}

func TestListed(t *testing.T) {
	var names []string
	for i := range 5 {
		names = append(names, fmt.Sprintf("pv-%d", i))
	}
	if got, want := listed(names, 3), "pv-0, pv-1, pv-2 and 2 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := listed(names, 5), "pv-0, pv-1, pv-2, pv-3, pv-4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
