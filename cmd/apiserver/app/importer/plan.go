// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// importedAsAnnotation on an operator's object names the hold that it was imported as. So an object is not
// imported again after its hold has ended, unless an operator has put its finalizer back and goes on with it.
const importedAsAnnotation = v1beta1.GroupName + "/imported-as"

// finishing is the action for an object whose import was interrupted.
const finishing = "finish its import"

// step is what the import does with one object.
type step struct {
	object object
	// action says it in a few words; notes are what an admin should know besides.
	action string
	notes  []string
	// create is the hold to create; nil: none.
	create *v1beta1.NodeMaintenance
	// hold is the name of the object's hold; empty: it gets none.
	hold string
	// handOver says that the operator's finalizer is to go, and that the object is to name its hold.
	handOver bool
	// end says that the hold is to be deleted then, because the object was being deleted.
	end bool
	// late says that the object was deleted after its hold was created, and before it was let go. Then its hold
	// is deleted first: nothing would tell of the delete once the object is let go.
	late bool
	// uid is that of the hold; empty while there is none.
	uid types.UID
	// err is the reason why the object cannot be imported.
	err error
}

// world is what the plan of an import is made from.
type world struct {
	objects []object
	nodes   map[string]*corev1.Node
	holds   []v1beta1.NodeMaintenance
	now     time.Time
}

// plan says what to do with each object of the chosen sources. It is pure.
func (w world) plan(chosen []source) []step {
	var steps []step
	taken := map[string]bool{}
	for i := range w.holds {
		taken[w.holds[i].Name] = true
	}
	for _, o := range w.objects {
		if !slices.Contains(chosen, o.source) {
			continue
		}
		s := w.step(o, taken)
		taken[s.hold] = true
		steps = append(steps, s)
	}
	return append(steps, w.orphans(chosen)...)
}

// orphans are the steps of holds that are to be ended and whose objects are gone: an import was interrupted.
func (w world) orphans(chosen []source) []step {
	var steps []step
	for i := range w.holds {
		hold := &w.holds[i]
		if !ends(hold) || slices.ContainsFunc(w.objects, func(o object) bool { return importedHold(w.holds[i:i+1], o.UID) != nil }) {
			continue
		}
		if o := formerObject(hold); slices.Contains(chosen, o.source) {
			steps = append(steps, step{object: o, action: finishing, hold: hold.Name, uid: hold.UID, end: true})
		}
	}
	return steps
}

func (w world) step(o object, taken map[string]bool) step {
	node := w.nodes[o.Spec.NodeName]
	imported := importedHold(w.holds, o.UID)
	switch {
	case imported != nil:
		return w.again(o, imported)
	case o.Annotations[importedAsAnnotation] != "" && !o.handled():
		return step{object: o, action: "none: imported before as " + o.Annotations[importedAsAnnotation] + ", which has ended"}
	case o.Spec.NodeName == "":
		return release(o, "it names no node, and the operator could not end it")
	case o.ending() && !o.handled():
		return step{object: o, action: "none: the operator has ended it"}
	case o.ending() && !o.tookOut(node):
		return release(o, "it was being deleted, and node "+o.Spec.NodeName+" has nothing to be given back")
	default:
		return w.fresh(o, node, taken)
	}
}

// again is the step of an object that has a hold. An earlier import may have been interrupted.
func (w world) again(o object, imported *v1beta1.NodeMaintenance) step {
	s := step{object: o, action: "none: imported already", hold: imported.Name, uid: imported.UID, end: ends(imported)}
	s.handOver = o.handled() || o.Annotations[importedAsAnnotation] != imported.Name
	s.late = s.handOver && o.ending() && !s.end
	if s.handOver || s.end {
		s.action = finishing
	}
	if s.late {
		s.notes = []string{"it was deleted after its import had begun: its hold is deleted too"}
	}
	return s
}

// release is the step of an object that becomes no hold.
func release(o object, why string) step {
	s := step{object: o, action: "none", handOver: o.handled(), notes: []string{why}}
	if s.handOver {
		s.action = "remove its finalizer"
	}
	return s
}

// fresh is the step of an object that becomes a hold.
func (w world) fresh(o object, node *corev1.Node, taken map[string]bool) step {
	hold, notes, err := o.hold(node, w.taintsOn(node), w.now)
	if err != nil {
		return step{object: o, action: "none", err: err}
	}
	hold.Name = freeName(o, taken)
	if hold.Name != o.Name {
		notes = append(notes, fmt.Sprintf("its hold gets another name, since another NodeMaintenance is called %s", o.Name))
	}
	s := step{object: o, create: hold, hold: hold.Name, handOver: true, end: o.ending()}
	s.action, s.notes = o.action(node), slices.Concat(notes, w.notes(o, node, hold.Name))
	return s
}

// action says in a few words what an import of the object does.
func (o object) action(node *corev1.Node) string {
	switch {
	case o.ending():
		return "import, and give the node back"
	case node == nil:
		return "import; it starts when the node appears"
	case o.stage(node) == v1beta1.StageIdle:
		return "import in stage Idle"
	case !o.tookOut(node):
		return "import, and start the drain"
	case o.Status.Phase == phaseSucceeded:
		return "import as drained"
	default:
		return "import, and go on with the drain"
	}
}

// taintsOn are the taints, besides those that this server removes anyway, that operators have set on the node.
func (w world) taintsOn(node *corev1.Node) []string {
	for _, o := range w.objects {
		if node != nil && o.Spec.NodeName == node.Name && o.source.taint == kubeVirtTaint && o.tookOut(node) {
			return []string{kubeVirtTaint}
		}
	}
	return nil
}

// importedHold is the hold that the object of that UID was imported as; nil: none is left.
func importedHold(holds []v1beta1.NodeMaintenance, uid types.UID) *v1beta1.NodeMaintenance {
	for i := range holds {
		if from, err := v1beta1.ReadImportedFrom(holds[i].Annotations); err == nil && from != nil && from.UID == uid {
			return &holds[i]
		}
	}
	return nil
}

// formerObject is the object that the hold was imported from, as far as the hold tells.
func formerObject(hold *v1beta1.NodeMaintenance) object {
	from, err := v1beta1.ReadImportedFrom(hold.Annotations)
	if err != nil || from == nil {
		return object{}
	}
	o := object{}
	o.APIVersion = from.APIVersion
	o.Name, o.Namespace, o.UID, o.Spec.NodeName, o.Status.Phase = from.Name, from.Namespace, from.UID, hold.Spec.NodeName, from.Phase
	for _, s := range sources {
		if strings.HasPrefix(from.APIVersion, s.group+"/") {
			o.source = s
		}
	}
	return o
}

// ends says whether the hold was imported to be ended, and nobody has deleted it yet.
func ends(hold *v1beta1.NodeMaintenance) bool {
	from, err := v1beta1.ReadImportedFrom(hold.Annotations)
	return err == nil && from != nil && from.Ending && hold.DeletionTimestamp == nil
}

// freeName is the object's name or, if another hold has that, one made of it and the UID. So it is the same
// each time.
func freeName(o object, taken map[string]bool) string {
	if !taken[o.Name] {
		return o.Name
	}
	suffix := "-" + string(o.UID)[:min(len(o.UID), 8)]
	return o.Name[:min(len(o.Name), validation.DNS1123SubdomainMaxLength-len(suffix))] + suffix
}
