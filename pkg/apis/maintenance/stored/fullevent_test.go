// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullEvent has every field.
func fullEvent() *v1beta1.ScheduledEvent {
	return &v1beta1.ScheduledEvent{
		ObjectMeta: metadata("aws.instance-event-0d59937288b749b32"),
		Spec: v1beta1.ScheduledEventSpec{
			Source: v1beta1.AWSSource, EventID: "instance-event-0d59937288b749b32", Code: v1beta1.CodeInstanceRetirement,
			NodeName: "worker-1", InstanceID: "i-0abcd1234",
			MachineRef: &v1beta1.MachineReference{APIGroup: v1beta1.OpenShiftMachineGroup, Namespace: "openshift-machine-api", Name: "worker-1"},
			NotBefore:  at(70), NotAfter: at(80), Deadline: at(75), Description: "The host fails", State: v1beta1.EventScheduled,
		},
		Status: v1beta1.ScheduledEventStatus{
			ObservedGeneration: 1, Phase: v1beta1.EventPhaseReplacing, NodeName: "worker-1", NodeUID: nodeUID,
			Action: v1beta1.EventActionReplace, Policy: "workers", Maintenance: "event-worker-1", ExpectedDrainSeconds: ptr.To[int64](600),
			StartTime: at(10), LatestStartTime: at(20), DrainStartTime: at(11), DrainedTime: at(15), BootID: "5f9c3a1e",
			Replacement: fullReplacement(), WaitingFor: "the node of machine worker-2 to be Ready", Outcome: "the machine was replaced",
			EndTime: at(85), Conditions: []metav1.Condition{fullCondition(v1beta1.ConditionCompleted)},
		},
	}
}

func fullReplacement() *v1beta1.MachineReplacement {
	replaced := func(kind, name string) v1beta1.ReplacedObject {
		return v1beta1.ReplacedObject{
			APIGroup: v1beta1.OpenShiftMachineGroup, Kind: kind, Namespace: "openshift-machine-api", Name: name, UID: "9d2e7b60",
		}
	}
	return &v1beta1.MachineReplacement{
		Strategy: v1beta1.SurgeFirst, Machine: replaced("Machine", "worker-1"), Owner: ptr.To(replaced("MachineSet", "workers")),
		Step: v1beta1.StepAwaitNewNode, StepTime: at(12), TimeoutSeconds: ptr.To[int64](1800), NewMachine: "worker-2", NewNode: "worker-2", Failure: "it is not Ready",
	}
}
