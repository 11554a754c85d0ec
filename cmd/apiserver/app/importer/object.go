// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// object is a NodeMaintenance of an operator.
type object struct {
	stored
	source source
	// lease is that of its node.
	lease nodeLease
	// doomed says that the object is deleted only because its CRD is. So nobody wants the node back.
	doomed bool
}

// stored are the fields that the import reads.
type stored struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		NodeName string `json:"nodeName"`
		Reason   string `json:"reason"`
	} `json:"spec"`
	Status struct {
		Phase         string       `json:"phase"`
		DrainProgress int32        `json:"drainProgress"`
		LastUpdate    *metav1.Time `json:"lastUpdate"`
		LastError     string       `json:"lastError"`
		PendingPods   []string     `json:"pendingPods"`
		TotalPods     int32        `json:"totalpods"`
		EvictionPods  int32        `json:"evictionPods"`
	} `json:"status"`
}

// The phases of the operators.
const (
	phaseSucceeded = "Succeeded"
	phaseFailed    = "Failed"
)

// newObject reads an object. crdDeleted is when its CRD was deleted; nil: never.
func newObject(of source, from unstructured.Unstructured, crdDeleted *metav1.Time) (object, error) {
	o := object{source: of}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, &o.stored); err != nil {
		return object{}, fmt.Errorf("could not read %s %s: %w", of.crd(), from.GetName(), err)
	}
	if crdDeleted != nil && o.ending() && !o.DeletionTimestamp.Before(crdDeleted) {
		o.doomed, o.DeletionTimestamp = true, nil
	}
	return o, nil
}

// String names the object as kubectl does.
func (o object) String() string {
	if o.Namespace != "" {
		return fmt.Sprintf("%s/%s (namespace %s)", o.source.crd(), o.Name, o.Namespace)
	}
	return o.source.crd() + "/" + o.Name
}

func (o object) ending() bool { return o.DeletionTimestamp != nil }

// handled says whether the operator has begun with the object and not let go of it yet.
func (o object) handled() bool { return slices.Contains(o.Finalizers, finalizer) }

// tookOut says whether the operator has taken the node out of service, and not given it back. The object
// says so if pods were evicted or the drain is done. Else, and for a node that is younger than the object,
// the taint of the operator says it: nobody else sets it, except for this server, which annotates the node.
func (o object) tookOut(node *corev1.Node) bool {
	if node == nil {
		return false
	}
	begun := o.Status.Phase == phaseSucceeded || o.Status.Phase != phaseFailed && o.evicted()
	if begun && !node.CreationTimestamp.After(o.CreationTimestamp.Time) {
		return true
	}
	return tainted(node, o.source.taint) && !ours(node)
}

// ours says whether this server has the node in maintenance.
func ours(node *corev1.Node) bool {
	_, held := node.Annotations[v1beta1.HoldsAnnotation]
	return held
}

func (o object) evicted() bool {
	return o.Status.DrainProgress > 0 || int(o.Status.EvictionPods) > len(o.Status.PendingPods)
}

func tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

// lastWrite is the time when the status was written last; nil if nothing says so.
func (o object) lastWrite() *metav1.Time {
	if o.Status.LastUpdate != nil {
		return o.Status.LastUpdate
	}
	var last *metav1.Time
	for _, entry := range o.ManagedFields {
		if entry.Subresource == "status" && entry.Time != nil && (last == nil || last.Before(entry.Time)) {
			last = entry.Time
		}
	}
	return last
}

// creator is the program that created the object: it owns the name of the node. Empty if nothing says so.
func (o object) creator() string {
	for _, entry := range o.ManagedFields {
		if entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), `"f:nodeName"`) {
			return entry.Manager
		}
	}
	return ""
}
