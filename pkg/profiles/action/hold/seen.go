// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hold

import (
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Seen is how far the NodeMaintenance of a NodeProfile is. The zero value says that there is none.
type Seen struct {
	// Hold is the NodeMaintenance; nil if there is none.
	Hold *v1beta1.NodeMaintenance
	// Reached is how far the node is out of service for it: Idle, Cordon or Drain. Empty if there is none.
	Reached v1beta1.MaintenanceStage
	// Ending says that it is being deleted: the node is being given back, or was, and others still keep the object.
	Ending bool
	// Message says in a sentence what it waits for. Empty if it waits for nothing.
	Message string
}

// Reaches says whether the node is as far out of service as the stage asks for.
func (s Seen) Reaches(stage v1beta1.MaintenanceStage) bool {
	return s.Hold != nil && !s.Ending && reaches(s.Reached, stage)
}

func see(hold *v1beta1.NodeMaintenance, np *v1beta1.NodeProfile) Seen {
	if hold.DeletionTimestamp != nil {
		return ending(hold, np)
	}
	seen := Seen{Hold: hold, Reached: reached(hold, np)}
	if !reaches(seen.Reached, hold.Spec.Stage) {
		seen.Message = waitingMessage(hold)
	}
	return seen
}

func ending(hold *v1beta1.NodeMaintenance, np *v1beta1.NodeProfile) Seen {
	return Seen{Hold: hold, Ending: true, Reached: reached(hold, np), Message: endingMessage(hold)}
}

// reached is how far the NodeMaintenance is with what it asks for now, on the node that is there now.
func reached(hold *v1beta1.NodeMaintenance, np *v1beta1.NodeProfile) v1beta1.MaintenanceStage {
	otherNode := np.Status.NodeUID != "" && hold.Status.NodeUID != np.Status.NodeUID
	switch {
	case otherNode:
		return v1beta1.StageIdle
	case isTrue(hold, v1beta1.ConditionDrained):
		return v1beta1.StageDrain
	case isTrue(hold, v1beta1.ConditionCordoned):
		return v1beta1.StageCordon
	default:
		return v1beta1.StageIdle
	}
}

func isTrue(hold *v1beta1.NodeMaintenance, kind string) bool {
	condition := current(hold, kind)
	return condition != nil && condition.Status == metav1.ConditionTrue
}

// current returns a condition that speaks of the spec as it is; nil if there is none.
func current(hold *v1beta1.NodeMaintenance, kind string) *metav1.Condition {
	condition := apimeta.FindStatusCondition(hold.Status.Conditions, kind)
	if condition == nil || condition.ObservedGeneration != hold.Generation {
		return nil
	}
	return condition
}

// waitingMessage says what keeps the node from being cordoned or drained. While pods leave, it does not count them:
// each of them would be a write of the NodeProfile.
func waitingMessage(hold *v1beta1.NodeMaintenance) string {
	if len(hold.Status.Blockers) > 0 {
		return blockersMessage(hold)
	}
	for _, kind := range []string{v1beta1.ConditionAdmitted, v1beta1.ConditionCordoned, v1beta1.ConditionDrained} {
		condition := current(hold, kind)
		if condition == nil || condition.Status == metav1.ConditionTrue {
			continue
		}
		if condition.Reason == v1beta1.ReasonDraining {
			break
		}
		return fmt.Sprintf("NodeMaintenance %s: %s", hold.Name, condition.Message)
	}
	if isTrue(hold, v1beta1.ConditionCordoned) {
		return fmt.Sprintf("node %s is being drained by NodeMaintenance %s", hold.Spec.NodeName, hold.Name)
	}
	return fmt.Sprintf("NodeMaintenance %s has yet to cordon node %s", hold.Name, hold.Spec.NodeName)
}

func blockersMessage(hold *v1beta1.NodeMaintenance) string {
	first, more := hold.Status.Blockers[0], ""
	if others := max(int(hold.Status.BlockedPodCount), len(hold.Status.Blockers)) - 1; others > 0 {
		more = fmt.Sprintf(" (and %d more)", others)
	}
	return fmt.Sprintf("pod %s%s cannot leave node %s: %s", first.Pod, more, hold.Spec.NodeName, first.Message)
}

// endingMessage says what keeps the node from being given back.
func endingMessage(hold *v1beta1.NodeMaintenance) string {
	released := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionReleased)
	if released != nil && released.Status == metav1.ConditionFalse {
		return fmt.Sprintf("node %s is not given back yet: %s", hold.Spec.NodeName, released.Message)
	}
	return fmt.Sprintf("node %s is being given back: NodeMaintenance %s is not gone yet", hold.Spec.NodeName, hold.Name)
}
