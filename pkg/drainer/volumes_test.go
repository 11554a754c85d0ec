// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
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
	return conditionMessage(c.hold(hold).Status, v1beta1.ConditionVolumesDetached)
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
		c.wait(writeInterval)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		c.wantCondition("a", v1beta1.ConditionVolumesDetached, metav1.ConditionFalse, v1beta1.ReasonVolumesAttached)
		if got, want := c.volumesMessage("a"), "still attached to node worker-1: pv-data"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		c.detach("pv-data")
		c.wait(writeInterval)
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
		c.wait(writeInterval)
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
