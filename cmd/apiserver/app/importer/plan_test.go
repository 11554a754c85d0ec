// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	begin = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	later = begin.Add(10 * time.Minute)
	today = begin.Add(time.Hour)
)

// old is an object of the medik8s operator, for node worker-1, that the operator works on.
func old(change ...func(*object)) object {
	o := object{source: medik8s}
	o.APIVersion, o.Name, o.UID = "nodemaintenance.medik8s.io/v1beta1", "m", "uid-of-m"
	o.CreationTimestamp, o.Finalizers = metav1.NewTime(begin), []string{finalizer}
	o.Spec.NodeName, o.Spec.Reason = "worker-1", "disk"
	o.Status.Phase, o.Status.TotalPods, o.Status.EvictionPods = "Running", 9, 4
	o.Status.PendingPods = []string{"a", "b", "c", "d"}
	for _, c := range change {
		c(&o)
	}
	return o
}

func succeeded(o *object) {
	o.Status.Phase, o.Status.DrainProgress, o.Status.PendingPods = phaseSucceeded, 100, nil
	o.Status.LastUpdate = ptr.To(metav1.NewTime(later))
}

func half(o *object) { o.Status.DrainProgress, o.Status.PendingPods = 50, []string{"a", "b"} }

func failing(o *object) {
	o.Status.Phase, o.Status.DrainProgress = phaseFailed, 50
	o.Status.LastError = "maintenance failed: lease could not be extended after 4 attempts"
}

func ofKubeVirt(o *object) {
	o.source, o.APIVersion = kubeVirt, "nodemaintenance.kubevirt.io/v1beta1"
	o.Status.LastUpdate, o.Status.DrainProgress = nil, 0
}

func deletedObject(o *object) { o.DeletionTimestamp = ptr.To(metav1.NewTime(later)) }

func leasedByOther(o *object) {
	o.lease = nodeLease{state: "of node-healthcheck", other: "node-healthcheck"}
}

// importedAs marks an object that an earlier import has let go.
func importedAs(hold string) func(*object) {
	return func(o *object) { o.Annotations = map[string]string{importedAsAnnotation: hold} }
}

func named(name string, uid types.UID) func(*object) {
	return func(o *object) { o.Name, o.UID = name, uid }
}

// worker is the node as it was created, long before the objects, and then changed.
func worker(change ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "uid-of-node", CreationTimestamp: metav1.NewTime(begin.Add(-time.Hour))}}
	for _, c := range change {
		c(node)
	}
	return node
}

func cordonedNode(node *corev1.Node) { node.Spec.Unschedulable = true }

func taintedNode(key string) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
}

func youngNode(node *corev1.Node) { node.CreationTimestamp = metav1.NewTime(later) }

func ourNode(node *corev1.Node) { node.Annotations = map[string]string{v1beta1.HoldsAnnotation: "{}"} }

// planned is what the tests compare of a step.
type planned struct {
	Action, Hold   string
	Stage          v1beta1.MaintenanceStage
	Before         []string // the taints that go at the end
	Start, Drained *metav1.Time
	Progress       int32
	HandOver, End  bool
	Late           bool
	Notes          []string
}

func plannedOf(t *testing.T, s step) planned {
	t.Helper()
	p := planned{Action: s.action, Hold: s.hold, HandOver: s.handOver, End: s.end, Late: s.late, Notes: s.notes}
	if s.create == nil {
		return p
	}
	from, err := v1beta1.ReadImportedFrom(s.create.Annotations)
	if err != nil {
		t.Fatal(err)
	}
	p.Stage, p.Start, p.Drained, p.Progress = s.create.Spec.Stage, from.StartTime, from.DrainedTime, from.DrainProgress
	if from.NodeBefore != nil {
		p.Before = from.NodeBefore.AddedTaints
		if from.NodeUID != "uid-of-node" || from.NodeBefore.Unschedulable {
			t.Errorf("node %q was %+v before, want it in service", from.NodeUID, from.NodeBefore)
		}
	}
	return p
}

func TestPlan(t *testing.T) {
	medik8sTaints := []string{"medik8s.io/drain:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"}
	kubeVirtTaints := append(append([]string{}, medik8sTaints...), "kubevirt.io/drain:NoSchedule")
	const starts = "the operator has not touched node worker-1 yet: it is cordoned and drained now, and at the end it is what it is like now; to prevent that, delete the object first"
	const gaveUp = "the operator gave up, and node worker-1 stays in service; to take it out: " +
		`kubectl patch nodemaintenances.maintenance.medik8s.io m --type=merge -p '{"spec":{"stage":"Drain"}}'`
	const leased = "node-healthcheck has the lease of the node, so the operator waits, and node worker-1 stays in service; to take it out: " +
		`kubectl patch nodemaintenances.maintenance.medik8s.io m --type=merge -p '{"spec":{"stage":"Drain"}}'`
	const oursAlready = "the operator has not touched node worker-1, which this server has in maintenance already: it is given " +
		"back when all holds of it have ended"
	at := func(when time.Time) *metav1.Time { return ptr.To(metav1.NewTime(when)) }
	tests := map[string]struct {
		object object
		node   *corev1.Node // nil: it does not exist
		want   planned
	}{
		"drained": {
			object: old(succeeded), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100},
		},
		"drained, in KubeVirt's form": {
			object: old(succeeded, ofKubeVirt), node: worker(cordonedNode, taintedNode(kubeVirtTaint)),
			want: planned{
				Action: "import as drained", Stage: v1beta1.StageDrain, Before: kubeVirtTaints, Start: at(begin), Drained: at(today), Progress: 100,
				Notes: []string{"its status does not say when the node was drained: the time of the import counts"},
			},
		},
		"drained, and only the managed fields say when": {
			object: old(succeeded, ofKubeVirt, func(o *object) {
				o.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", Time: at(later)}, {Time: at(today)}}
			}),
			node: worker(cordonedNode, taintedNode(kubeVirtTaint)),
			want: planned{Action: "import as drained", Stage: v1beta1.StageDrain, Before: kubeVirtTaints, Start: at(begin), Drained: at(later), Progress: 100},
		},
		"drained, and uncordoned by hand": {
			object: old(succeeded), node: worker(),
			want: planned{
				Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100,
				Notes: []string{"somebody has uncordoned node worker-1: it is cordoned again"},
			},
		},
		"drained, and then there is a new node": {
			object: old(succeeded), node: worker(youngNode),
			want: planned{Action: "import, and start the drain", Stage: v1beta1.StageDrain, Notes: []string{starts}},
		},
		"drained, and the new node too": {
			object: old(succeeded), node: worker(youngNode, cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100},
		},
		"half drained": {
			object: old(half), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Progress: 50},
		},
		"half drained, without a progress": {
			object: old(half, ofKubeVirt), node: worker(cordonedNode),
			want: planned{Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: kubeVirtTaints, Start: at(begin)},
		},
		"more pods than at the begin": {
			object: old(half, func(o *object) { o.Status.DrainProgress = -100 }), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin)},
		},
		"in its first attempt": {
			object: old(), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin)},
		},
		"not begun": {
			object: old(), node: worker(),
			want: planned{Action: "import, and start the drain", Stage: v1beta1.StageDrain, Notes: []string{starts}},
		},
		"waiting for a lease": {
			object: old(leasedByOther), node: worker(),
			want: planned{Action: "import in stage Idle", Stage: v1beta1.StageIdle, Notes: []string{leased}},
		},
		"drained, and then another took the lease": {
			object: old(succeeded, leasedByOther), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100},
		},
		"imported before, and then the operator went on with it": {
			object: old(succeeded, importedAs("m")), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100},
		},
		"its CRD is being deleted": {
			object: old(succeeded, func(o *object) { o.doomed = true }), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{
				Action: "import as drained", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100,
				Notes: []string{"it is being deleted only because its CRD is: its hold stays, and the node too, until you delete the hold (m)"},
			},
		},
		"waiting, and an admin has cordoned the node": {
			object: old(), node: worker(cordonedNode, taintedNode(corev1.TaintNodeUnschedulable)),
			want: planned{Action: "import, and start the drain", Stage: v1beta1.StageDrain, Notes: []string{starts}},
		},
		"waiting, and this server has cordoned the node": {
			object: old(), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint), ourNode),
			want: planned{Action: "import, and start the drain", Stage: v1beta1.StageDrain, Notes: []string{oursAlready}},
		},
		"without a status": {
			object: old(func(o *object) { o.Status.Phase, o.Status.EvictionPods, o.Status.PendingPods = "", 0, nil }), node: worker(taintedNode(v1beta1.DrainTaint)),
			want: planned{
				Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin),
				Notes: []string{"somebody has uncordoned node worker-1: it is cordoned again"},
			},
		},
		"failed, and given back": {
			object: old(failing), node: worker(),
			want: planned{Action: "import in stage Idle", Stage: v1beta1.StageIdle, Notes: []string{gaveUp}},
		},
		"failed, and not given back": {
			object: old(failing), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import, and go on with the drain", Stage: v1beta1.StageDrain, Before: medik8sTaints, Start: at(begin), Progress: 50},
		},
		"no node": {
			object: old(failing),
			want: planned{
				Action: "import; it starts when the node appears", Stage: v1beta1.StageDrain, Notes: []string{"node worker-1 does not exist"},
			},
		},
		"being deleted": {
			object: old(succeeded, deletedObject), node: worker(cordonedNode, taintedNode(v1beta1.DrainTaint)),
			want: planned{Action: "import, and give the node back", Stage: v1beta1.StageCordon, Before: medik8sTaints, Start: at(begin), Drained: at(later), Progress: 100, End: true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := world{objects: []object{test.object}, nodes: map[string]*corev1.Node{"worker-1": test.node}, now: today}
			steps := w.plan(sources)
			if len(steps) != 1 || steps[0].err != nil {
				t.Fatalf("got %d steps: %+v", len(steps), steps)
			}
			test.want.Hold, test.want.HandOver = "m", true
			if diff := cmp.Diff(test.want, plannedOf(t, steps[0]), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// These objects become no hold.
func TestPlanWithoutHold(t *testing.T) {
	tests := map[string]struct {
		object object
		node   *corev1.Node
		want   planned
	}{
		"no node is named": {
			object: old(func(o *object) { o.Spec.NodeName = "" }),
			want:   planned{Action: "remove its finalizer", HandOver: true, Notes: []string{"it names no node, and the operator could not end it"}},
		},
		"being deleted, and never begun": {
			object: old(deletedObject), node: worker(cordonedNode),
			want: planned{Action: "remove its finalizer", HandOver: true, Notes: []string{"it was being deleted, and node worker-1 has nothing to be given back"}},
		},
		"being deleted without a node": {
			object: old(succeeded, deletedObject),
			want:   planned{Action: "remove its finalizer", HandOver: true, Notes: []string{"it was being deleted, and node worker-1 has nothing to be given back"}},
		},
		"kept by another finalizer": {
			object: old(succeeded, deletedObject, func(o *object) { o.Finalizers = []string{"example.com/kept"} }), node: worker(),
			want: planned{Action: "none: the operator has ended it"},
		},
		"its hold has ended": {
			object: old(succeeded, importedAs("m"), func(o *object) { o.Finalizers = nil }), node: worker(),
			want: planned{Action: "none: imported before as m, which has ended"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := world{objects: []object{test.object}, nodes: map[string]*corev1.Node{"worker-1": test.node}, now: today}
			if diff := cmp.Diff(test.want, plannedOf(t, w.plan(sources)[0]), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// imported is a hold of an earlier import, interrupted or not.
func imported(name string, from v1beta1.ImportedFrom) v1beta1.NodeMaintenance {
	value, err := json.Marshal(from)
	if err != nil {
		panic(err)
	}
	return v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: "uid-of-hold", Annotations: map[string]string{v1beta1.ImportedAnnotation: string(value)},
	}}
}

func TestPlanAgain(t *testing.T) {
	from := v1beta1.ImportedFrom{APIVersion: "nodemaintenance.medik8s.io/v1beta1", Name: "m", UID: "uid-of-m"}
	letGo := func(o *object) {
		o.Finalizers, o.Annotations = nil, map[string]string{importedAsAnnotation: "m"}
	}
	ending := from
	ending.Ending = true
	deleted := imported("m", ending)
	deleted.DeletionTimestamp = ptr.To(metav1.NewTime(later))
	tests := map[string]struct {
		objects []object
		hold    v1beta1.NodeMaintenance
		want    []planned
	}{
		"done":        {objects: []object{old(letGo)}, hold: imported("m", from), want: []planned{{Action: "none: imported already", Hold: "m"}}},
		"not let go":  {objects: []object{old()}, hold: imported("m", from), want: []planned{{Action: finishing, Hold: "m", HandOver: true}}},
		"to be ended": {objects: []object{old(deletedObject)}, hold: imported("m", ending), want: []planned{{Action: finishing, Hold: "m", HandOver: true, End: true}}},
		"deleted before it was let go": {
			objects: []object{old(deletedObject)}, hold: imported("m", from),
			want: []planned{{Action: finishing, Hold: "m", HandOver: true, Late: true, Notes: []string{"it was deleted after its import had begun: its hold is deleted too"}}},
		},
		"only the hold":    {hold: imported("m", ending), want: []planned{{Action: finishing, Hold: "m", End: true}}},
		"ends already":     {hold: deleted},
		"deleted meantime": {objects: []object{old(letGo, deletedObject)}, hold: imported("m", from), want: []planned{{Action: "none: imported already", Hold: "m"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := world{objects: test.objects, holds: []v1beta1.NodeMaintenance{test.hold}, now: today}
			var got []planned
			for _, s := range w.plan(sources) {
				got = append(got, plannedOf(t, s))
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// Two objects for one node are two holds on it. What both operators set goes when the last one ends.
func TestPlanOfTwoObjects(t *testing.T) {
	w := world{
		objects: []object{old(succeeded), old(succeeded, ofKubeVirt, named("m", "1234567890"))},
		nodes:   map[string]*corev1.Node{"worker-1": worker(cordonedNode, taintedNode(v1beta1.DrainTaint), taintedNode(kubeVirtTaint))},
		now:     today,
	}
	steps := w.plan(sources)
	first, second := plannedOf(t, steps[0]), plannedOf(t, steps[1])
	if diff := cmp.Diff(first.Before, second.Before); diff != "" || len(first.Before) != 3 {
		t.Errorf("what goes at the end: %v and %v, want three taints each", first.Before, second.Before)
	}
	if first.Hold != "m" || second.Hold != "m-12345678" {
		t.Errorf("the holds are called %s and %s, want m and m-12345678", first.Hold, second.Hold)
	}
	want := []string{
		"its hold gets another name, since another NodeMaintenance is called m",
		"its status does not say when the node was drained: the time of the import counts",
		"nodemaintenances.nodemaintenance.medik8s.io/m is for the same node: it is given back when both have ended",
	}
	if diff := cmp.Diff(want, second.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestPlanOfOneGroup(t *testing.T) {
	w := world{objects: []object{old(), old(ofKubeVirt, named("k", "k"))}, now: today}
	if steps := w.plan([]source{kubeVirt}); len(steps) != 1 || steps[0].hold != "k" {
		t.Errorf("got %+v, want only the object of KubeVirt", steps)
	}
}

// A hold of this server that came while the operator had the node found it cordoned.
func TestPlanBesideAHold(t *testing.T) {
	hold := v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: "ours"}}
	hold.Spec.NodeName, hold.Status.NodeBefore = "worker-1", &v1beta1.NodeBefore{Unschedulable: true}
	w := world{
		objects: []object{old(succeeded)}, holds: []v1beta1.NodeMaintenance{hold}, now: today,
		nodes: map[string]*corev1.Node{"worker-1": worker(cordonedNode, taintedNode(v1beta1.DrainTaint), ourNode)},
	}
	want := []string{"NodeMaintenance ours found node worker-1 cordoned: if it ends last, the node stays so"}
	if diff := cmp.Diff(want, w.plan(sources)[0].notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestMetadataAndReason(t *testing.T) {
	long := strings.Repeat("n", 253)
	tests := map[string]struct {
		change     func(*object)
		taken      bool
		wantName   string
		wantReason string
		wantKeys   []string // of the annotations, besides that of the import
		wantNotes  []string
	}{
		"plain": {change: func(*object) {}, wantName: "m", wantReason: "disk"},
		"annotations of this server are not believed": {
			change: func(o *object) {
				o.Annotations = map[string]string{v1beta1.ImportedAnnotation: "forged", v1beta1.HoldsAnnotation: "x", "a/b": "c"}
			},
			wantName: "m", wantReason: "disk", wantKeys: []string{"a/b"},
		},
		"annotations too large": {
			change:   func(o *object) { o.Annotations = map[string]string{"a/b": strings.Repeat("x", maxAnnotations)} },
			wantName: "m", wantReason: "disk", wantNotes: []string{"its annotations are left out, since they are larger than 16 KiB"},
		},
		"a reason of two lines": {
			change:   func(o *object) { o.Spec.Reason = "new\ndisk" },
			wantName: "m", wantReason: `new\ndisk`, wantNotes: []string{"its reason is cut, or has characters that are written as codes now"},
		},
		"a long reason": {
			change:   func(o *object) { o.Spec.Reason = strings.Repeat("r", 2000) },
			wantName: "m", wantReason: strings.Repeat("r", 1021) + "...", wantNotes: []string{"its reason is cut, or has characters that are written as codes now"},
		},
		"owned": {
			change:   func(o *object) { o.OwnerReferences = []metav1.OwnerReference{{Kind: "Upgrade", Name: "u"}} },
			wantName: "m", wantReason: "disk", wantNotes: []string{"its owner Upgrade u is not taken over: delete the hold yourself"},
		},
		"a long name that is taken": {
			change: func(o *object) { o.Name = long }, taken: true,
			wantName: strings.Repeat("n", 244) + "-uid-of-m", wantReason: "disk",
			wantNotes: []string{"its hold gets another name, since another NodeMaintenance is called " + long},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := old(half, func(o *object) { o.Labels = map[string]string{"team": "a"} }, test.change)
			w := world{objects: []object{o}, nodes: map[string]*corev1.Node{"worker-1": worker(cordonedNode, taintedNode(v1beta1.DrainTaint))}, now: today}
			if test.taken {
				w.holds = []v1beta1.NodeMaintenance{{ObjectMeta: metav1.ObjectMeta{Name: o.Name}}}
			}
			s := w.plan(sources)[0]
			if s.create.Name != test.wantName || s.create.Spec.Reason != test.wantReason || s.create.Labels["team"] != "a" {
				t.Errorf("got %s for %q with the labels %v", s.create.Name, s.create.Spec.Reason, s.create.Labels)
			}
			var keys []string
			for key := range s.create.Annotations {
				if key != v1beta1.ImportedAnnotation {
					keys = append(keys, key)
				}
			}
			if diff := cmp.Diff(test.wantKeys, keys); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wantNotes, s.notes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
