// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// modelAct is something that people or other controllers do.
type modelAct struct {
	weight int
	act    func(w *world)
}

var modelActs = []modelAct{
	{12, (*world).createHold},
	{6, (*world).deleteHold},
	{6, (*world).moveStage},
	{4, (*world).changeDrain},
	{5, (*world).otherEvicts},
	{3, (*world).otherDeletes},
	{5, (*world).podFlaps},
	{5, (*world).podCompletes},
	{3, (*world).latePod},
	{4, (*world).drift},
	{3, (*world).relabelNode},
	{2, (*world).personCordons},
	{3, (*world).budgetChanges},
	{3, (*world).nodeHealthChanges},
	{2, (*world).nodeDeleted},
}

// act does one thing, or nothing where that one is not possible.
func (w *world) act() {
	total := 0
	for _, a := range modelActs {
		total += a.weight
	}
	for at, i := w.rng.IntN(total), 0; ; i++ {
		if at -= modelActs[i].weight; at < 0 {
			modelActs[i].act(w)
			return
		}
	}
}

// activeHolds are the holds that are not being deleted.
func (w *world) activeHolds() []*v1beta1.NodeMaintenance {
	return slices.DeleteFunc(drainertest.All[*v1beta1.NodeMaintenance](w.store), func(h *v1beta1.NodeMaintenance) bool {
		return !h.DeletionTimestamp.IsZero()
	})
}

// endVersion notes that the hold asks for something else from now on.
func (w *world) endVersion(hold *v1beta1.NodeMaintenance) *holdRecord {
	record := w.holds[hold.UID]
	record.versions[len(record.versions)-1].until = time.Now()
	return record
}

func (w *world) deleteHold() {
	holds := w.activeHolds()
	if len(holds) == 0 {
		return
	}
	hold := oneOf(w, holds...).DeepCopy()
	w.endVersion(hold)
	hold.DeletionTimestamp = ptr.To(metav1.Now())
	w.store.Put(hold)
	w.trace("hold %s is deleted", hold.Name)
}

// changeHold changes the spec of a hold as the registry does.
func (w *world) changeHold(change func(*v1beta1.NodeMaintenance)) {
	holds := w.activeHolds()
	if len(holds) == 0 {
		return
	}
	old := oneOf(w, holds...)
	hold := old.DeepCopy()
	change(hold)
	hold.Generation++
	w.newVersion(hold, w.effective(old))
	w.store.Put(hold)
	w.trace("hold %s is changed: %s", hold.Name, drainWords(hold))
}

func (w *world) moveStage() {
	w.changeHold(func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Stage = oneOf(w, v1beta1.StageDrain, v1beta1.StageDrain, v1beta1.StageCordon, v1beta1.StageIdle)
	})
}

func (w *world) changeDrain() {
	w.changeHold(func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain = w.newDrain() })
}

func drainWords(hold *v1beta1.NodeMaintenance) string {
	words, err := json.Marshal(hold.Spec.Drain)
	return fmt.Sprintf("%s %s %v", hold.Spec.Stage, words, err)
}

// anyPod is a pod at random; nil when there is none.
func (w *world) anyPod() *corev1.Pod {
	pods := drainertest.All[*corev1.Pod](w.store)
	if len(pods) == 0 {
		return nil
	}
	return oneOf(w, pods...)
}

func (w *world) otherEvicts() {
	if pod := w.anyPod(); pod != nil {
		err := w.evictPod(drainertest.EvictionOf(pod), serving{posted: time.Now()})
		w.trace("another evicts pod %s: %v", pod.UID, err)
	}
}

func (w *world) otherDeletes() {
	if pod := w.anyPod(); pod != nil {
		err := w.server.DeletePod(pod, deletionOf(pod))
		w.trace("another deletes pod %s: %v", pod.UID, err)
	}
}

func (w *world) podFlaps() {
	pod := w.anyPod()
	if pod == nil || pod.Status.Phase != corev1.PodRunning {
		return
	}
	ready := corev1.ConditionTrue
	if podutils.IsPodReady(pod) {
		ready = corev1.ConditionFalse
	}
	w.changePod(pod, func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = ready })
	w.trace("pod %s is ready: %s", pod.UID, ready)
}

func (w *world) podCompletes() {
	if pod := w.anyPod(); pod != nil && !w.pods[pod.UID].app.mirror {
		phase := oneOf(w, corev1.PodSucceeded, corev1.PodFailed)
		w.changePod(pod, func(pod *corev1.Pod) {
			pod.Status.Phase, pod.Status.Conditions[0].Status = phase, corev1.ConditionFalse
		})
		w.trace("pod %s is %s", pod.UID, phase)
	}
}

// latePod has a pod come to a node whether it is cordoned or not.
func (w *world) latePod() {
	app := oneOf(w, w.apps...)
	node := fmt.Sprintf("node-%d", w.rng.IntN(len(w.nodes)))
	if w.liveNode(node) == nil || app.kind == "StatefulSet" {
		return
	}
	app.made++
	w.createPod(app, fmt.Sprintf("%s-%d", app.name, app.made), node, corev1.PodRunning)
}

func (w *world) changeNode(node *corev1.Node, change func(*corev1.Node)) {
	next := node.DeepCopy()
	change(next)
	w.store.Put(next)
}

func (w *world) anyNode() *corev1.Node {
	nodes := drainertest.All[*corev1.Node](w.store)
	if len(nodes) == 0 {
		return nil
	}
	return oneOf(w, nodes...)
}

// drift undoes one of the marks of a node. While the annotation or the taint is missing the other
// is left: a node without both counts as given back. So is a taint that was there before: once the
// node is being given back, taking it away is a person's decision that stands.
func (w *world) drift() {
	node := w.anyNode()
	if node == nil || !nodemarks.Annotated(node) || !nodemarks.DrainTainted(node) || nodemarks.DrainTainted(w.nodes[node.Name].wanted) {
		return
	}
	what := oneOf(w, "uncordoned", "untainted", "unlabelled")
	w.changeNode(node, func(node *corev1.Node) {
		switch what {
		case "uncordoned":
			node.Spec.Unschedulable = false
		case "untainted":
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints,
				func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint })
		default:
			delete(node.Labels, v1beta1.ExcludeFromRemediationLabel)
		}
	})
	w.trace("node %s is %s by a person", node.Name, what)
}

// relabelNode changes what is none of the drainer's business.
func (w *world) relabelNode() {
	node := w.anyNode()
	if node == nil {
		return
	}
	w.uids++
	value, taint := fmt.Sprint(w.uids), w.chance(40)
	change := func(node *corev1.Node) {
		node.Labels["example.com/label"] = value
		if taint {
			drainertest.Taint("example.com/taint-" + value)(node)
		}
	}
	w.changeNode(node, change)
	change(w.nodes[node.Name].wanted)
	w.trace("node %s is relabelled", node.Name)
}

// personCordons cordons a node that nobody holds: that is to stay so.
func (w *world) personCordons() {
	node := w.anyNode()
	if node == nil || nodemarks.Annotated(node) || w.named(node.Name) {
		return
	}
	w.changeNode(node, drainertest.Cordon)
	drainertest.Cordon(w.nodes[node.Name].wanted)
	w.trace("node %s is cordoned by a person", node.Name)
}

// named says whether any hold, even one that ends, names the node.
func (w *world) named(node string) bool {
	return slices.ContainsFunc(drainertest.All[*v1beta1.NodeMaintenance](w.store), func(h *v1beta1.NodeMaintenance) bool {
		return h.Spec.NodeName == node
	})
}

func (w *world) budgetChanges() {
	budgets := drainertest.All[*policyv1.PodDisruptionBudget](w.store)
	if len(budgets) == 0 || w.chance(25) {
		w.createBudget()
		return
	}
	pdb := oneOf(w, budgets...)
	w.check.roomLost(drainertest.KeyOf(pdb))
	if w.chance(40) {
		w.store.Remove(pdb)
		w.trace("budget %s is deleted", pdb.Name)
		return
	}
	next := pdb.DeepCopy()
	next.Generation++
	w.demand(next, oneOf(w, w.apps...))
	w.store.Put(next)
	w.trace("budget %s is changed", pdb.Name)
}

func (w *world) nodeHealthChanges() {
	node := w.anyNode()
	if node == nil {
		return
	}
	ready := corev1.ConditionTrue
	if !clusterwatch.NodeDead(node) {
		ready = corev1.ConditionUnknown
	}
	w.setNodeReady(node, ready)
}

func (w *world) setNodeReady(node *corev1.Node, ready corev1.ConditionStatus) {
	w.changeNode(node, func(node *corev1.Node) {
		for i := range node.Status.Conditions {
			if node.Status.Conditions[i].Type == corev1.NodeReady {
				node.Status.Conditions[i].Status = ready
			}
		}
	})
	w.trace("node %s is ready: %s", node.Name, ready)
}

// nodeDeleted deletes a node, or has one that was deleted come back as another.
func (w *world) nodeDeleted() {
	name := fmt.Sprintf("node-%d", w.rng.IntN(len(w.nodes)))
	if node := w.liveNode(name); node != nil {
		w.store.Remove(node)
		w.trace("node %s is deleted", name)
		return
	}
	w.createNode(name)
}
