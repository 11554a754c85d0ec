// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// kept follows the UID of an event in the annotation if somebody else has set the replicas since the event has added its
// machine. The UID stays until the event takes note, so that no crash adds a second one.
const kept = ":kept"

// surge is what an owner has of the events that have added a machine.
type surge []addition

// addition is one event that has added a machine.
type addition struct {
	event types.UID
	// kept says that the machine is part of what somebody else wants since.
	kept bool
}

// readSurge reads the annotations. If the replicas are not those that the server has left, somebody else wants them as
// they are.
func readSurge(owner *unstructured.Unstructured) (read surge) {
	annotations := owner.GetAnnotations()
	rescaled := annotations[v1beta1.SurgeReplicasAnnotation] != strconv.FormatInt(replicas(owner), 10)
	for text := range strings.SplitSeq(annotations[v1beta1.SurgeAnnotation], ",") {
		event, marked := strings.CutSuffix(text, kept)
		if event != "" {
			read = append(read, addition{event: types.UID(event), kept: marked || rescaled})
		}
	}
	return read
}

// of returns what the event has added.
func (s surge) of(event types.UID) (found addition, added bool) {
	at := slices.IndexFunc(s, func(addition addition) bool { return addition.event == event })
	if at < 0 {
		return addition{}, false
	}
	return s[at], true
}

// add adds a machine for the event.
func (s surge) add(owner *unstructured.Unstructured, event types.UID) error {
	return append(slices.Clone(s), addition{event: event}).write(owner, replicas(owner)+1)
}

// drop takes the machine away that was added for the event. If somebody else wants it, or if keep says so, it stays.
func (s surge) drop(owner *unstructured.Unstructured, event types.UID, keep bool) error {
	added, _ := s.of(event)
	rest := slices.DeleteFunc(slices.Clone(s), func(addition addition) bool { return addition.event == event })
	count := replicas(owner)
	if !added.kept && !keep {
		count = max(0, count-1)
	}
	return rest.write(owner, count)
}

// write sets the replicas, and remembers them.
func (s surge) write(owner *unstructured.Unstructured, count int64) error {
	annotations := maps.Clone(owner.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, v1beta1.SurgeAnnotation)
	delete(annotations, v1beta1.SurgeReplicasAnnotation)
	if len(s) > 0 {
		annotations[v1beta1.SurgeAnnotation] = s.text()
		annotations[v1beta1.SurgeReplicasAnnotation] = strconv.FormatInt(count, 10)
	}
	owner.SetAnnotations(annotations)
	return unstructured.SetNestedField(owner.Object, count, "spec", "replicas")
}

func (s surge) text() string {
	texts := make([]string, 0, len(s))
	for _, addition := range s {
		text := string(addition.event)
		if addition.kept {
			text += kept
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}
