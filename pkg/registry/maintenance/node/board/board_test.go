// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node"
)

var start = time.Unix(0, 1000)

// cluster has nodes by name.
type cluster struct {
	nodes   map[string]*corev1.Node
	unknown bool
}

func (c *cluster) node(name string) (*corev1.Node, error) {
	if c.unknown {
		return nil, errors.New("not known yet")
	}
	return c.nodes[name], nil
}

func (c *cluster) set(name string, unschedulable bool) {
	c.nodes[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: unschedulable}}
}

func newBoard(nodes ...string) (*Board, *cluster) {
	c := &cluster{nodes: map[string]*corev1.Node{}}
	for _, name := range nodes {
		c.set(name, false)
	}
	b := New(start, c.node)
	b.Fill(nodes, nil, 1)
	return b, c
}

func hold(name, node string, revision uint64) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: strconv.FormatUint(revision, 10), ManagedFields: []metav1.ManagedFieldsEntry{{}}},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageDrain},
	}
}

// shown is each node with its state and its number of holds.
func shown(b *Board) string {
	states, _ := b.States()
	var all []string
	for _, state := range states {
		all = append(all, fmt.Sprintf("%s=%s/%d", state.Name, state.Status.State, state.Status.HoldCount))
	}
	return strings.Join(all, " ")
}

func wantShown(t *testing.T, b *Board, want string) {
	t.Helper()
	if got := shown(b); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStatesAreSortedAndComplete(t *testing.T) {
	b, c := newBoard("c", "a", "b")
	wantShown(t, b, "a=InService/0 b=InService/0 c=InService/0")
	_, version := b.States()
	if changes, _, known := b.Since(version); !known || len(changes) > 0 {
		t.Errorf("the first states count as %d changes (known: %t)", len(changes), known)
	}
	c.set("aa", true)
	b.NodeChanged("aa")
	delete(c.nodes, "b")
	b.NodeChanged("b")
	wantShown(t, b, "a=InService/0 aa=Unschedulable/0 c=InService/0")
	c.unknown = true
	b.NodeChanged("c")
	wantShown(t, b, "a=InService/0 aa=Unschedulable/0 c=InService/0")
	if got := b.State("aa"); got == nil || got.Status.State != v1beta1.NodeUnschedulable || b.State("b") != nil {
		t.Errorf("got %v", got)
	}
}

func TestEachChangeHasAVersionOfItsOwn(t *testing.T) {
	b, c := newBoard("a", "b")
	_, first := b.States()
	_, next, _ := b.Since(first)
	b.NodeChanged("a") // nothing has changed
	select {
	case <-next:
		t.Error("told of no change")
	default:
	}
	b.HoldStored(hold("h", "a", 2))
	select {
	case <-next:
	default:
		t.Error("not told of a change")
	}
	c.set("b", true)
	b.NodeChanged("b")
	delete(c.nodes, "b")
	b.NodeChanged("b")
	changes, _, known := b.Since(first)
	if !known || len(changes) != 3 {
		t.Fatalf("got %d changes, want 3 (known: %t)", len(changes), known)
	}
	for i, change := range changes {
		if change.Version != first+1+int64(i) || change.After != nil && change.After.ResourceVersion != Format(change.Version) {
			t.Errorf("change %d has version %d, state %+v", i, change.Version, change.After)
		}
	}
	if changes[0].Before.Status.State != v1beta1.NodeInService || changes[0].After.Status.State != v1beta1.NodePending {
		t.Errorf("got %+v", changes[0])
	}
	if changes[2].After != nil || changes[2].Before != changes[1].After {
		t.Errorf("got %+v", changes[2])
	}
	_, version := b.States()
	if later, _, known := b.Since(first + 2); !known || len(later) != 1 || later[0].Version != version {
		t.Errorf("got %v", later)
	}
}

func TestUnknownVersions(t *testing.T) {
	b, c := newBoard("a")
	_, first := b.States()
	flip := func(times int) {
		for i := range times {
			c.set("a", i%2 == 0)
			b.NodeChanged("a")
		}
	}
	flip(2 * Kept)
	if got := len(allSince(t, b, first)); got != 2*Kept {
		t.Fatalf("got %d changes, want %d", got, 2*Kept)
	}
	kept, _, _ := b.Since(first)
	before := slices.Clone(kept)
	flip(2)
	if !slices.Equal(before, kept) {
		t.Error("changes that somebody has were written over")
	}
	for name, version := range map[string]int64{"of an earlier run": first - 1, "forgotten": first, "of a later run": first + 2*Kept + 3} {
		if _, _, known := b.Since(version); known {
			t.Errorf("a version %s is known", name)
		}
	}
	if got := len(allSince(t, b, first+Kept)); got != Kept+2 {
		t.Errorf("got %d changes, want %d", got, Kept+2)
	}
}

// allSince asks for changes until there are no more.
func allSince(t *testing.T, b *Board, version int64) (all []Change) {
	t.Helper()
	for {
		changes, _, known := b.Since(version)
		if !known || cap(changes) > atOnce*2 {
			t.Fatalf("version %d: got changes in an array of %d (known: %t)", version, cap(changes), known)
		}
		if len(changes) == 0 {
			return all
		}
		all = append(all, changes...)
		version = changes[len(changes)-1].Version
	}
}

// What can be large, and is not shown, is not kept. What is shown is.
func TestHoldsAreTrimmed(t *testing.T) {
	b, _ := newBoard("a")
	whole, large := hold("h", "a", 5), strings.Repeat("x", 100)
	whole.Annotations, whole.Labels = map[string]string{"large": large}, map[string]string{"large": large}
	whole.CreationTimestamp, whole.Finalizers = metav1.NewTime(start), []string{"example.com/f"}
	whole.Spec.Requestor, whole.Spec.Reason = "alice", "new disk"
	whole.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"large": large}}
	whole.Status.Phase = v1beta1.PhaseRunning
	whole.Status.Conditions = []metav1.Condition{{Type: "Cordoned", Status: metav1.ConditionTrue, Reason: "Cordoned", Message: large}}
	whole.Status.Blockers = []v1beta1.DrainBlocker{{Message: large}}
	whole.Status.Plan = &v1beta1.DrainPlanStatus{UnmanagedPods: []string{large}}
	nodeOf := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	want := node.State(nodeOf, []v1beta1.NodeMaintenance{*whole})
	b.HoldStored(whole)
	if kept, err := json.Marshal(b.holds.on("a")); err != nil || strings.Contains(string(kept), large) {
		t.Errorf("got %s, %v, want nothing large", kept, err)
	}
	got := *b.State("a")
	got.ResourceVersion = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the state differs from that of the whole hold (-want +got):\n%s", diff)
	}
	if whole.Status.Conditions[0].Message != large {
		t.Error("the hold was changed")
	}
}

// Lists and the watch do not wait for each other.
func TestOlderNewsAreIgnored(t *testing.T) {
	tests := map[string]struct {
		then func(b *Board)
		want string
	}{
		"an older list":         {then: func(b *Board) { b.Holds(nil, 4) }, want: "a=Pending/1"},
		"an older event":        {then: func(b *Board) { b.HoldDeleted(hold("h", "a", 4)) }, want: "a=Pending/1"},
		"an older list of one":  {then: func(b *Board) { b.HoldsOn("a", nil, 4) }, want: "a=Pending/1"},
		"a newer list":          {then: func(b *Board) { b.Holds(nil, 6) }, want: "a=InService/0"},
		"a newer event":         {then: func(b *Board) { b.HoldDeleted(hold("h", "a", 6)) }, want: "a=InService/0"},
		"a newer list of one":   {then: func(b *Board) { b.HoldsOn("a", nil, 6) }, want: "a=InService/0"},
		"another hold":          {then: func(b *Board) { b.HoldStored(hold("g", "a", 6)) }, want: "a=Pending/2"},
		"news of another node":  {then: func(b *Board) { b.HoldsOn("b", nil, 9); b.HoldStored(hold("g", "a", 6)) }, want: "a=Pending/2"},
		"a list after an event": {then: func(b *Board) { b.HoldDeleted(hold("h", "a", 8)); b.Holds(one(hold("h", "a", 5)), 7) }, want: "a=InService/0"},
		"an event after a list": {then: func(b *Board) { b.Holds(nil, 7); b.HoldStored(hold("h", "a", 6)) }, want: "a=InService/0"},
		"no revision":           {then: func(b *Board) { b.HoldDeleted(&v1beta1.NodeMaintenance{Spec: hold("h", "a", 1).Spec}) }, want: "a=Pending/1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, _ := newBoard("a")
			b.HoldStored(hold("h", "a", 5))
			test.then(b)
			wantShown(t, b, test.want)
		})
	}
}

func one(hold *v1beta1.NodeMaintenance) []v1beta1.NodeMaintenance {
	return []v1beta1.NodeMaintenance{*hold}
}

// The board is as new as the watch or a list of everything, and not as a list of one node.
func TestRevision(t *testing.T) {
	b, _ := newBoard("a")
	for _, step := range []struct {
		do   func()
		want uint64
	}{
		{func() {}, 1},
		{func() { b.HoldsOn("a", nil, 9) }, 1},
		{func() { b.HoldStored(hold("h", "a", 5)) }, 5},
		{func() { b.Holds(nil, 12) }, 12},
		{func() { b.Holds(nil, 11) }, 12},
	} {
		if step.do(); b.Revision() != step.want {
			t.Errorf("got revision %d, want %d", b.Revision(), step.want)
		}
	}
}
