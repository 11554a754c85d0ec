// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// mark says whether a machine is marked to go first, and for whom.
func (f family) mark(machine *unstructured.Unstructured) (by types.UID, marked bool) {
	annotations := machine.GetAnnotations()
	for _, key := range f.marks {
		if value, found := annotations[key]; found {
			return types.UID(value), true
		}
	}
	return "", false
}

// setMark marks a machine to go first, for an event. It says whether that changes anything. The undrained one is not
// drained a second time.
func (f family) setMark(machine *unstructured.Unstructured, event types.UID, undrained bool) bool {
	annotations := maps.Clone(machine.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	for _, key := range f.marks {
		annotations[key] = string(event)
	}
	if _, excluded := annotations[f.undrained]; undrained && !excluded {
		annotations[f.undrained] = string(event)
	}
	return setAnnotations(machine, annotations)
}

// clearMark takes off what setMark set for the event.
func (f family) clearMark(machine *unstructured.Unstructured, event types.UID) bool {
	annotations := maps.Clone(machine.GetAnnotations())
	maps.DeleteFunc(annotations, func(key, value string) bool {
		return f.owns(key) && value == string(event)
	})
	return setAnnotations(machine, annotations)
}

// owns says whether a key is one that setMark sets.
func (f family) owns(key string) bool {
	for _, mark := range f.marks {
		if key == mark {
			return true
		}
	}
	return key == f.undrained
}

func setAnnotations(object *unstructured.Unstructured, annotations map[string]string) bool {
	if maps.Equal(annotations, object.GetAnnotations()) {
		return false
	}
	object.SetAnnotations(annotations)
	return true
}
