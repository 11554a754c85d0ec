// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullEvent has every field.
func fullEvent() *maintenance.ScheduledEvent {
	return &maintenance.ScheduledEvent{
		ObjectMeta: metadata("aws.instance-event-0d59937288b749b32"),
		Spec: maintenance.ScheduledEventSpec{
			Source: v1beta1.AWSSource, EventID: "instance-event-0d59937288b749b32", Code: v1beta1.CodeInstanceRetirement,
			NodeName: "worker-1", InstanceID: "i-0abcd1234",
			MachineRef: &maintenance.MachineReference{APIGroup: v1beta1.OpenShiftMachineGroup, Namespace: "openshift-machine-api", Name: "worker-1"},
			NotBefore:  at(70), NotAfter: at(80), Deadline: at(75), Description: "The host fails", State: maintenance.EventScheduled,
		},
		Status: maintenance.ScheduledEventStatus{
			ObservedGeneration: 1, Phase: maintenance.EventPhaseReplacing, NodeName: "worker-1", NodeUID: nodeUID,
			Action: maintenance.EventActionReplace, Policy: "workers", Maintenance: "event-worker-1", ExpectedDrainSeconds: ptr.To[int64](600),
			StartTime: at(10), LatestStartTime: at(20), DrainStartTime: at(11), DrainedTime: at(15), BootID: "5f9c3a1e",
			Replacement: fullReplacement(), WaitingFor: "the node of machine worker-2 to be Ready", Outcome: "the machine was replaced",
			EndTime: at(85), Conditions: []metav1.Condition{fullCondition(v1beta1.ConditionCompleted)},
		},
	}
}

func fullReplacement() *maintenance.MachineReplacement {
	replaced := func(kind, name string) maintenance.ReplacedObject {
		return maintenance.ReplacedObject{
			APIGroup: v1beta1.OpenShiftMachineGroup, Kind: kind, Namespace: "openshift-machine-api", Name: name, UID: "9d2e7b60",
		}
	}
	return &maintenance.MachineReplacement{
		Strategy: maintenance.SurgeFirst, Machine: replaced("Machine", "worker-1"), Owner: ptr.To(replaced("MachineSet", "workers")),
		Step: maintenance.StepAwaitNewNode, StepTime: at(12), TimeoutSeconds: ptr.To[int64](1800), NewMachine: "worker-2", NewNode: "worker-2", Failure: "it is not Ready",
	}
}
