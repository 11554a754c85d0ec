// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// besides starts a drainer of another store, with holds of its own, on the nodes of the cluster.
func (c *cluster) besides() *cluster {
	c.t.Helper()
	other := &cluster{
		t: c.t, Server: drainertest.NewServer(drainertest.Hooks{}), recorder: record.NewFakeRecorder(10000), config: c.config,
	}
	other.config.Maintenance, other.config.Recorder, other.config.StoreID = other.Maintenance, other.recorder, "store-2"
	other.start()
	return other
}

// wantHeldBy wants the node to be cordoned, and its annotation to be of that store.
func (c *cluster) wantHeldBy(storeID string) {
	c.t.Helper()
	c.wantCordoned(drainertest.NodeName, true)
	if note := nodemarks.ReadNote(c.node(drainertest.NodeName)); note.StoreID != storeID {
		c.t.Errorf("the annotation is of store %s, want %s", note.StoreID, storeID)
	}
}

func TestNodeThatTwoStoresHold(t *testing.T) {
	const ours, theirs = drainertest.StoreID, "store-2"
	ends := map[string]func(t *testing.T, c, other *cluster){
		"the other ends first": func(t *testing.T, c, other *cluster) {
			other.delete("theirs")
			other.wantNoHold("theirs")
			c.wait(time.Minute)
			c.wantHeldBy(ours)
			c.delete("a")
		},
		"ours ends first": func(t *testing.T, c, other *cluster) {
			held := c.node(drainertest.NodeName)
			c.delete("a")
			c.wantNoHold("a")
			c.wait(time.Minute)
			if now := c.node(drainertest.NodeName); now.ResourceVersion != held.ResourceVersion {
				t.Errorf("the node was changed, from version %s to %s", held.ResourceVersion, now.ResourceVersion)
			}
			other.delete("theirs")
			other.wantNoHold("theirs")
		},
		"ours ends, and comes again": func(t *testing.T, c, other *cluster) {
			c.delete("a")
			c.create(drainertest.Hold{Name: "b"}.Object())
			c.wantHeldBy(theirs)
			other.delete("theirs")
			c.wait(time.Minute)
			c.wantHeldBy(ours)
			c.delete("b")
		},
	}
	nodes := map[string]struct {
		node drainertest.Node
		want v1beta1.NodeBefore
	}{
		"a plain node": {want: v1beta1.NodeBefore{AddedTaints: []string{drainText}}},
		"cordoned before": {
			node: drainertest.Node{Unschedulable: true},
			want: v1beta1.NodeBefore{Unschedulable: true, AddedTaints: []string{drainText}},
		},
		"tainted before": {
			node: drainertest.Node{Taints: []string{v1beta1.DrainTaint}},
			want: v1beta1.NodeBefore{Taints: []string{drainText}},
		},
	}
	for how, end := range ends {
		for which, test := range nodes {
			t.Run(how+", "+which, func(t *testing.T) {
				before := test.node.Object()
				inCluster(t, with(before), func(c *cluster) {
					other := c.besides()
					defer func() { other.stop() }()
					other.create(drainertest.Hold{Name: "theirs"}.Object())
					c.create(drainertest.Hold{Name: "a"}.Object())
					c.wantHeldBy(theirs)
					c.wantPhase("a", v1beta1.PhaseSucceeded)
					if diff := cmp.Diff(&test.want, c.hold("a").Status.NodeBefore); diff != "" {
						t.Errorf("nodeBefore (-want +got):\n%s", diff)
					}
					end(t, c, other)
					c.wait(time.Minute)
					c.wantNoHold("a")
					c.wantSameNode(before)
				})
			})
		}
	}
}

// An annotation without the taint may be anybody's, since a kubelet may write it on its own node: what it
// says is not believed.
func TestForgedNoteOfAnotherStoreIsNotBelieved(t *testing.T) {
	note, err := json.Marshal(nodemarks.HoldsNote{StoreID: "store-2", Before: v1beta1.NodeBefore{Unschedulable: true}})
	if err != nil {
		t.Fatal(err)
	}
	inCluster(t, with(drainertest.Node{HoldsNote: string(note)}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		if before := c.hold("a").Status.NodeBefore; before.Unschedulable {
			t.Errorf("nodeBefore is %+v, as the forged annotation says", before)
		}
	})
}

// Two stores that hold a node for different stages come to rest.
func TestTwoStoresComeToRest(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		other := c.besides()
		defer func() { other.stop() }()
		other.create(drainertest.Hold{Name: "theirs", Stage: v1beta1.StageCordon}.Object())
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		rested := c.node(drainertest.NodeName).ResourceVersion
		c.wait(10 * time.Second)
		if now := c.node(drainertest.NodeName).ResourceVersion; now != rested {
			t.Errorf("the node is patched again and again: from version %s to %s", rested, now)
		}
	})
}
