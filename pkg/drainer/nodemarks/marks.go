// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemarks

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// MaxAnnotatedHolds keeps the annotation on the node short.
const MaxAnnotatedHolds = 10

// ExcludeLabelValue is the value of v1beta1.ExcludeFromRemediationLabel on a cordoned node.
const ExcludeLabelValue = "true"

// OurTaint is on every cordoned node.
var OurTaint = corev1.Taint{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}

// Marks are what a cordoned node carries besides spec.unschedulable.
type Marks struct {
	storeID string
	taints  []corev1.Taint
}

// NewMarks returns the marks of the server of that store, with extra taints.
func NewMarks(storeID string, extra []corev1.Taint) Marks {
	taints := []corev1.Taint{OurTaint}
	for _, taint := range extra {
		if !HasTaint(taints, taint) {
			taints = append(taints, taint)
		}
	}
	return Marks{storeID: storeID, taints: taints}
}

// HoldsNote is the value of v1beta1.HoldsAnnotation.
type HoldsNote struct {
	StoreID string             `json:"storeID"`
	Holds   []HeldBy           `json:"holds"`
	More    int                `json:"more,omitempty"`
	Before  v1beta1.NodeBefore `json:"before"`
}

// HeldBy is what the annotation says of one hold.
type HeldBy struct {
	Name      string      `json:"name"`
	Requestor string      `json:"requestor,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Since     metav1.Time `json:"since"`
}

// ReadNote reads the annotation of a node. If it is missing or cannot be read, the note names no store.
func ReadNote(node *corev1.Node) HoldsNote {
	var note HoldsNote
	if err := json.Unmarshal([]byte(node.Annotations[v1beta1.HoldsAnnotation]), &note); err != nil {
		return HoldsNote{}
	}
	return note
}

// Entry is what the annotation says of the hold of that name; nil: nothing.
func (n HoldsNote) Entry(name string) *HeldBy {
	if i := slices.IndexFunc(n.Holds, func(h HeldBy) bool { return h.Name == name }); i >= 0 {
		return &n.Holds[i]
	}
	return nil
}

// names says whether the note says that the node was taken out of service for the hold. Another hold that once had its
// name does not count.
func (n HoldsNote) names(hold *v1beta1.NodeMaintenance) bool {
	return slices.ContainsFunc(n.Holds, func(h HeldBy) bool {
		return h.Name == hold.Name && h.Since.Unix() == hold.CreationTimestamp.Unix()
	})
}

// PlannedTaint keeps pods from a node that they would have to leave soon, if there are others. It names our store:
// no other server's is taken off.
func (m Marks) PlannedTaint() corev1.Taint {
	return corev1.Taint{Key: v1beta1.PlannedTaint, Value: m.storeID, Effect: corev1.TaintEffectPreferNoSchedule}
}

// WithoutPlanned are the taints of the node without our mark of a planned maintenance.
func (m Marks) WithoutPlanned(node *corev1.Node) []corev1.Taint {
	ours := m.PlannedTaint()
	return slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(taint corev1.Taint) bool {
		return taint.MatchTaint(&ours) && taint.Value == ours.Value
	})
}

// Planned says whether the node carries that mark.
func (m Marks) Planned(node *corev1.Node) bool {
	return len(m.WithoutPlanned(node)) < len(node.Spec.Taints)
}

// Before is what the node is like now, as far as a cordon changes it.
func (m Marks) Before(node *corev1.Node) v1beta1.NodeBefore {
	before := v1beta1.NodeBefore{Unschedulable: node.Spec.Unschedulable}
	if value, found := node.Labels[v1beta1.ExcludeFromRemediationLabel]; found {
		before.Labels = map[string]string{v1beta1.ExcludeFromRemediationLabel: value}
	}
	for _, taint := range m.taints {
		recordTaint(&before, node, taint)
	}
	return before
}

// Recorded says whether the record lists each of our taints, as one that the node had or as one that
// the cordon adds.
func (m Marks) Recorded(before v1beta1.NodeBefore) bool {
	return !slices.ContainsFunc(m.taints, func(taint corev1.Taint) bool { return !recordsTaint(before, taint) })
}

// Record is what is to be recorded of a node before its cordon: what was recorded, completed by what the
// server has been told to set since, or else the node as it is now.
func (m Marks) Record(recorded *v1beta1.NodeBefore, node *corev1.Node) v1beta1.NodeBefore {
	if recorded == nil {
		return m.Before(node)
	}
	return m.completed(*recorded, node)
}

// completed returns the record with those taints of the server that it lacks: the server may have been
// restarted with other taints.
func (m Marks) completed(before v1beta1.NodeBefore, node *corev1.Node) v1beta1.NodeBefore {
	completed := *before.DeepCopy()
	// An older version of the server did not record the taints that it added. It added all that it did
	// not find.
	older := !recordsTaint(before, OurTaint)
	for _, taint := range m.taints {
		switch {
		case recordsTaint(before, taint):
		case older:
			completed.AddedTaints = append(completed.AddedTaints, taint.ToString())
		default:
			recordTaint(&completed, node, taint)
		}
	}
	return completed
}

// recordTaint notes that the node has the taint already, or that the cordon is to add it.
func recordTaint(before *v1beta1.NodeBefore, node *corev1.Node, taint corev1.Taint) {
	for i := range node.Spec.Taints {
		if had := &node.Spec.Taints[i]; had.MatchTaint(&taint) {
			before.Taints = append(before.Taints, had.ToString())
			return
		}
	}
	before.AddedTaints = append(before.AddedTaints, taint.ToString())
}

func recordsTaint(before v1beta1.NodeBefore, taint corev1.Taint) bool {
	return ListsTaint(before.Taints, taint) || ListsTaint(before.AddedTaints, taint)
}

// ListsTaint says whether a taint of this key and effect is among the texts, which are key=value:effect
// each.
func ListsTaint(texts []string, taint corev1.Taint) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		keyAndValue, effect, _ := strings.Cut(text, ":")
		key, _, _ := strings.Cut(keyAndValue, "=")
		return key == taint.Key && effect == string(taint.Effect)
	})
}

// NodeMarks are the marks of maintenance that a node carries.
type NodeMarks struct {
	// Annotated and tainted say whether it carries v1beta1.HoldsAnnotation and v1beta1.DrainTaint. The
	// cordon sets both, and giving back removes both, each in one patch.
	Annotated, Tainted bool
	// Planned says whether it carries our v1beta1.PlannedTaint.
	Planned bool
	// Conditioned says whether it has a condition of ours that says that it is in maintenance.
	Conditioned bool
	// Note is what the annotation says.
	Note HoldsNote
	// Ours says that the annotation bears the id of our store.
	Ours bool
	// Anothers says that it bears the id of another store. That annotation is not changed: otherwise
	// two servers would overwrite each other's for ever.
	Anothers bool
}

// Read reads the marks of the node.
func (m Marks) Read(node *corev1.Node) NodeMarks {
	found := NodeMarks{Annotated: Annotated(node), Tainted: DrainTainted(node), Note: ReadNote(node)}
	found.Ours = found.Note.StoreID == m.storeID
	found.Anothers = found.Note.StoreID != "" && !found.Ours
	found.Planned, found.Conditioned = m.Planned(node), SaysInMaintenance(node)
	return found
}

// TookFor says whether the marks show that the node was taken out of service for a hold that has recorded it. While the
// annotation is another server's, or somebody has removed it, the taint must do.
func (m NodeMarks) TookFor(hold *v1beta1.NodeMaintenance) bool {
	if !m.Annotated || m.Anothers {
		return m.Tainted
	}
	return m.Note.names(hold)
}

// Marked says whether a node carries a mark of maintenance, of whatever server: v1beta1.HoldsAnnotation or
// v1beta1.DrainTaint.
func Marked(node *corev1.Node) bool { return Annotated(node) || DrainTainted(node) }

// Annotated says whether the node carries v1beta1.HoldsAnnotation, of whatever server.
func Annotated(node *corev1.Node) bool {
	_, found := node.Annotations[v1beta1.HoldsAnnotation]
	return found
}

// DrainTainted says whether the node carries v1beta1.DrainTaint, of whatever server.
func DrainTainted(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint })
}

// HasTaint says whether a taint of that key and effect is among the taints.
func HasTaint(taints []corev1.Taint, wanted corev1.Taint) bool {
	return slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.MatchTaint(&wanted) })
}

// CordonTaints are the taints of a cordoned node that keep pods away: that of spec.unschedulable, and those
// of its marks.
func CordonTaints(extra []corev1.Taint) []corev1.Taint {
	unschedulable := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	taints := append([]corev1.Taint{unschedulable}, NewMarks("", extra).taints...)
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule })
}

// SaysInMaintenance says whether one of our conditions says more than that maintenance is planned.
func SaysInMaintenance(node *corev1.Node) bool {
	return slices.ContainsFunc(OurConditions(node), func(c corev1.NodeCondition) bool { return c.Type != corev1.NodeMaintenancePlanned })
}

// OurConditions are the lifecycle conditions of the node that this server set.
func OurConditions(node *corev1.Node) []corev1.NodeCondition {
	var ours []corev1.NodeCondition
	for _, condition := range node.Status.Conditions {
		if condition.Reason == reasonNodeMaintenance && slices.Contains(lifecycleConditions, condition.Type) {
			ours = append(ours, condition)
		}
	}
	return ours
}
