// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// group is the API group of KubeVirt.
const group = "kubevirt.io"

// machines is the resource of the VirtualMachineInstances.
var machines = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "virtualmachineinstances"}

// The values of spec.evictionStrategy that decide something here. If it is empty, the default of the
// cluster counts, which is a part of KubeVirt's configuration.
const (
	strategyNone                  = "None"
	strategyLiveMigrate           = "LiveMigrate"
	strategyLiveMigrateIfPossible = "LiveMigrateIfPossible"
	strategyExternal              = "External"
)

// machine is what is kept of a VirtualMachineInstance.
type machine struct {
	metav1.ObjectMeta
	// strategy is spec.evictionStrategy.
	strategy string
	// node runs the machine.
	node string
	// evacuating is the node that KubeVirt was asked to move the machine away from; empty: none.
	evacuating string
	migratable condition
	// current is the migration that the machine's status is about.
	current progress
	limits  limits
}

// condition is the condition LiveMigratable. Its status is empty as long as KubeVirt has not decided.
type condition struct{ status, reason, message string }

// progress is what a status.migrationState says.
type progress struct {
	migration          types.UID
	target, whyNotDone string
}

// limits are how many migrations KubeVirt runs at a time; zero: not known.
type limits struct {
	perNode, perCluster int64
	// told is the time when the migration started whose status has them, in RFC 3339; empty: not known.
	told string
}

// compare orders limits by age. It tells apart limits of the same age, too, so that the newest do not depend
// on the order in which they are looked at.
func (l limits) compare(other limits) int {
	return cmp.Or(cmp.Compare(l.told, other.told), cmp.Compare(l.perNode, other.perNode), cmp.Compare(l.perCluster, other.perCluster))
}

// newer are the limits that were told last. Those that are not known do not count.
func (l limits) newer(other limits) limits {
	if other.perNode == 0 || (l.perNode != 0 && l.compare(other) > 0) {
		return l
	}
	return other
}

func newMachine(from *unstructured.Unstructured) *machine {
	return &machine{
		ObjectMeta: identity(from),
		strategy:   text(from, "spec", "evictionStrategy"),
		node:       text(from, "status", "nodeName"),
		evacuating: text(from, "status", "evacuationNodeName"),
		migratable: migratable(from),
		current:    progressOf(from),
		limits: limits{
			perNode:    number(from, "status", "migrationState", "migrationConfiguration", "parallelOutboundMigrationsPerNode"),
			perCluster: number(from, "status", "migrationState", "migrationConfiguration", "parallelMigrationsPerCluster"),
			told:       text(from, "status", "migrationState", "startTimestamp"),
		},
	}
}

func migratable(from *unstructured.Unstructured) condition {
	conditions, _, _ := unstructured.NestedSlice(from.Object, "status", "conditions")
	for _, c := range conditions {
		of := &unstructured.Unstructured{}
		if of.Object, _ = c.(map[string]any); text(of, "type") == "LiveMigratable" {
			return condition{text(of, "status"), text(of, "reason"), text(of, "message")}
		}
	}
	return condition{}
}

func progressOf(from *unstructured.Unstructured) progress {
	return progress{
		migration:  types.UID(text(from, "status", "migrationState", "migrationUid")),
		target:     text(from, "status", "migrationState", "targetNode"),
		whyNotDone: text(from, "status", "migrationState", "failureReason"),
	}
}

// identity is what a cache needs of an object's metadata.
func identity(from *unstructured.Unstructured) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: from.GetNamespace(), Name: from.GetName(), UID: from.GetUID(),
		ResourceVersion: from.GetResourceVersion(), CreationTimestamp: from.GetCreationTimestamp(),
	}
}

// text is the string at the path; empty if there is none.
func text(from *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(from.Object, path...)
	return value
}

// number is the number at the path; 0 if there is none.
func number(from *unstructured.Unstructured, path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(from.Object, path...)
	return value
}
