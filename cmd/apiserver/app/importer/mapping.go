// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// maxReason, maxError and maxPhase are the most bytes of these texts in a hold.
	maxReason = 1024
	maxError  = 512
	maxPhase  = 64
	// maxAnnotations is the most bytes that the annotations of an object may have in all: a hold has less
	// room than a custom resource.
	maxAnnotations = 16 << 10
)

// hold is the object as a hold. node is nil if it does not exist. taints are the keys of those that the
// operators have set on the node. It also returns what an admin should know of it.
func (o object) hold(node *corev1.Node, taints []string, now time.Time) (*v1beta1.NodeMaintenance, []string, error) {
	from := o.importedFrom(node, taints, now)
	value, err := json.Marshal(from)
	if err != nil {
		return nil, nil, fmt.Errorf("could not write what %s was: %w", o, err)
	}
	annotations, notes := o.keptAnnotations()
	annotations[v1beta1.ImportedAnnotation] = string(value)
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Labels: o.Labels, Annotations: annotations},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: o.Spec.NodeName, Reason: quote.Cut(o.Spec.Reason, maxReason), Stage: o.stage(node)},
	}
	if hold.Spec.Reason != o.Spec.Reason {
		notes = append(notes, "its reason is cut, or has characters that are written as codes now")
	}
	if len(o.OwnerReferences) > 0 {
		notes = append(notes, fmt.Sprintf("its owner %s %s is not taken over: delete the hold yourself", o.OwnerReferences[0].Kind, o.OwnerReferences[0].Name))
	}
	return hold, notes, nil
}

// stage leaves alone what the operator left alone: a node that it gave back, or gave up, or that another holds.
// Whether this server looks at leases of nodes is not known here. An ending hold must not evict anything.
func (o object) stage(node *corev1.Node) v1beta1.MaintenanceStage {
	switch {
	case o.ending():
		return v1beta1.StageCordon
	case node != nil && !o.tookOut(node) && (o.Status.Phase == phaseFailed || o.lease.other != ""):
		return v1beta1.StageIdle
	default:
		return v1beta1.StageDrain
	}
}

func (o object) importedFrom(node *corev1.Node, taints []string, now time.Time) v1beta1.ImportedFrom {
	from := v1beta1.ImportedFrom{
		APIVersion: o.APIVersion, Namespace: o.Namespace, Name: o.Name, UID: o.UID, CreationTime: o.CreationTimestamp,
		Creator: o.creator(), Phase: quote.Cut(o.Status.Phase, maxPhase), LastError: quote.Cut(o.Status.LastError, maxError),
		Ending: o.ending(),
	}
	if !o.tookOut(node) {
		return from
	}
	from.NodeUID, from.NodeBefore = node.UID, inService(taints)
	from.StartTime = &o.CreationTimestamp
	from.TotalPods, from.EvictionPods = max(o.Status.TotalPods, 0), max(o.Status.EvictionPods, 0)
	from.PendingPodCount = int32(len(o.Status.PendingPods))
	from.DrainProgress = min(max(o.Status.DrainProgress, 0), 99)
	if o.Status.Phase == phaseSucceeded {
		from.DrainProgress, from.PendingPodCount, from.DrainedTime = 100, 0, o.drained(now)
	}
	return from
}

// drained is the time when the node was drained, as far as the status says it; else by now.
func (o object) drained(now time.Time) *metav1.Time {
	at := metav1.NewTime(now).Rfc3339Copy()
	if last := o.lastWrite(); last != nil && last.Before(&at) {
		at = *last
	}
	if at.Before(&o.CreationTimestamp) {
		at = o.CreationTimestamp
	}
	return ptr.To(at)
}

// inService is what a node was like before an operator took it out of service. The operators remember
// nothing: at the end they make the node schedulable and remove all that they had set.
func inService(taints []string) *v1beta1.NodeBefore {
	before := &v1beta1.NodeBefore{}
	for _, key := range append([]string{v1beta1.DrainTaint, corev1.TaintNodeUnschedulable}, taints...) {
		taint := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
		before.AddedTaints = append(before.AddedTaints, taint.ToString())
	}
	return before
}

// keptAnnotations are the object's annotations without those of this server, which others must not set.
func (o object) keptAnnotations() (kept map[string]string, notes []string) {
	kept = maps.Clone(o.Annotations)
	if kept == nil {
		kept = map[string]string{}
	}
	size := 0
	maps.DeleteFunc(kept, func(name, value string) bool {
		size += len(name) + len(value)
		return strings.HasPrefix(name, v1beta1.GroupName+"/")
	})
	if size > maxAnnotations {
		return map[string]string{}, []string{"its annotations are left out, since they are larger than 16 KiB"}
	}
	return kept, nil
}
