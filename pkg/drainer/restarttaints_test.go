// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

const (
	// drainText is our own taint as a status records it, and extraText is extraTaint.
	drainText = v1beta1.DrainTaint + ":NoSchedule"
	extraText = "example.com/maintenance=yes:NoSchedule"
)

// extraTaint is one that the server may be told to set besides.
var extraTaint = corev1.Taint{Key: "example.com/maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}

// restart has the drainer end, and another one start that is told to set these taints.
func (c *cluster) restart(meanwhile func(*corev1.Node), taints ...corev1.Taint) {
	c.t.Helper()
	c.stop()
	if meanwhile != nil {
		drainertest.Change(c.Server, c.node(drainertest.NodeName), meanwhile)
	}
	c.config.Taints = taints
	c.start()
}

// A taint stays ours, or the admin's, when the server is told to set others between two starts.
func TestTaintsAreGivenBackWhateverTheFlagSaysNow(t *testing.T) {
	admin := func(node *corev1.Node) { node.Spec.Taints = append(node.Spec.Taints, extraTaint) }
	extra := []corev1.Taint{extraTaint}
	tests := map[string]struct {
		// first and then are the taints that the server is told to set at its two starts.
		first, then []corev1.Taint
		// before changes the node before it is cordoned, meanwhile between the two starts.
		before, meanwhile func(*corev1.Node)
		// wantSet says whether the node has the taint while it is held, wantStays afterwards.
		wantSet, wantStays bool
		want               v1beta1.NodeBefore
	}{
		"flag removed": {
			first: extra, wantSet: true, want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag removed, and the admin had it": {
			first: extra, before: admin, wantSet: true, wantStays: true,
			want: v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
		"flag added": {
			then: extra, wantSet: true, want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag added, and the admin had it": {
			then: extra, before: admin, wantSet: true, wantStays: true,
			want: v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
		"flag added, and the admin has set it meanwhile": {
			then: extra, meanwhile: admin, wantSet: true, wantStays: true,
			want: v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
		"flag kept": {
			first: extra, then: extra, wantSet: true,
			want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := drainertest.Node{Change: test.before}.Object()
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, node)
				c.config.Taints = test.first
				return c
			}, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
				c.restart(test.meanwhile, test.then...)
				for _, hold := range []string{"a", "b"} {
					if diff := cmp.Diff(&test.want, c.hold(hold).Status.NodeBefore); diff != "" {
						t.Errorf("nodeBefore of hold %s (-want +got):\n%s", hold, diff)
					}
				}
				c.wantTaints(true, test.wantSet)
				c.delete("a")
				c.wantTaints(true, test.wantSet)
				c.delete("b")
				c.wantNoHold("b")
				c.wantTaints(false, test.wantStays)
			})
		})
	}
}

// wantTaints says whether the node is to have our taint and the extra one.
func (c *cluster) wantTaints(wantOurs, wantExtra bool) {
	c.t.Helper()
	type taints struct{ Ours, Extra bool }
	has := c.node(drainertest.NodeName).Spec.Taints
	got := taints{Ours: nodemarks.HasTaint(has, nodemarks.OurTaint), Extra: slices.Contains(has, extraTaint)}
	if diff := cmp.Diff(taints{Ours: wantOurs, Extra: wantExtra}, got); diff != "" {
		c.t.Errorf("taints (-want +got):\n%s", diff)
	}
}

// That a taint is to be ours is recorded before it is set: a crash in between must not make it the
// admin's.
func TestNewTaintIsRecordedBeforeItIsSet(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		var atPatch []*v1beta1.NodeBefore
		c.Inject(func(action clienttesting.Action) (bool, error) {
			if action.GetVerb() != "patch" || !drainertest.OfMain(action) {
				return false, nil
			}
			hold := drainertest.Find[*v1beta1.NodeMaintenance](c.Store, "", "a")
			atPatch = append(atPatch, hold.Status.NodeBefore.DeepCopy())
			return true, drainertest.ServerDown() // the taint is set, and the process ends before it knows
		})
		c.restart(nil, extraTaint)
		if len(atPatch) == 0 {
			t.Fatal("the node was not patched")
		}
		want := &v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}}
		if diff := cmp.Diff(want, atPatch[0]); diff != "" {
			t.Errorf("nodeBefore when the taint was set (-want +got):\n%s", diff)
		}
		c.stop()
		c.Heal()
		c.start()
		c.wait(time.Minute)
		c.wantTaints(true, true)
		c.delete("a")
		c.wantTaints(false, false)
	})
}
