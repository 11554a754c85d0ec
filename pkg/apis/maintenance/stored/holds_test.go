// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// namedHold is a hold as this version stores it. The name is that of its file.
type namedHold struct {
	name string
	hold *v1beta1.NodeMaintenance
}

// namedObject is an object as this version stores it, and its file, as a path below that of the release.
type namedObject struct {
	file   string
	object v1beta1.Stored
}

// objects are of every kind. Together they have every field.
func objects() []namedObject {
	all := []namedObject{
		{file: "maintenancepolicies/every-setting.json", object: fullPolicy()},
		{file: "maintenanceledgers/cluster.json", object: fullLedger()},
		{file: "maintenanceprofiles/flatcar.json", object: fullProfile()},
		{file: "nodeprofiles/worker-1.flatcar.json", object: fullNodeProfile()},
		{file: "scheduledevents/aws.instance-event-0d59937288b749b32.json", object: fullEvent()},
	}
	all = append(all, fullEndpoints()...)
	for _, of := range holds() {
		all = append(all, namedObject{file: of.name + ".json", object: of.hold})
	}
	return all
}

// holds are in every phase, for every reason that leads to it, and together they have every field.
func holds() []namedHold {
	return []namedHold{
		newHold("pending-new", newlyCreated),
		newHold("pending-no-node", newlyCreated, noNode),
		newHold("pending-lease-held", recorded, leaseHeld),
		newHold("pending-idle", idle),
		newHold("pending-waiting", newlyCreated, waiting),
		newHold("cordoned", recorded, cordoned, onlyCordon),
		drainingHold(),
		newHold("drained", recorded, cordoned, draining, drained),
		newHold("failed", recorded, cordoned, draining, failed),
		newHold("giving-back", recorded, cordoned, draining, drained, deleted),
		newHold("released", released, deleted),
		newHold("imported", newlyCreated, imported),
		newHold("every-setting", newlyCreated, everySetting),
	}
}

// drainingHold is the usual hold.
func drainingHold() namedHold { return newHold("draining", recorded, cordoned, draining) }

func newHold(name string, changes ...func(*v1beta1.NodeMaintenance)) namedHold {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: "3c9a5e0e-2f6b-4d0c-9a53-6a0c3d5b7f11", Generation: 1, CreationTimestamp: *at(0),
			Finalizers: []string{v1beta1.UncordonFinalizer},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubectl-create", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: v1beta1.SchemeGroupVersion.String(),
				Time: at(0), FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:nodeName":{},"f:reason":{},"f:stage":{}}}`),
			}},
		},
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName: "worker-1", Reason: "kernel update", Requestor: "alice", Stage: v1beta1.StageDrain,
			Drain: v1beta1.DrainSpec{
				OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
			},
		},
	}
	for _, change := range changes {
		change(hold)
	}
	return namedHold{name: name, hold: hold}
}

// at is some seconds after the hold was created.
func at(seconds int) *metav1.Time {
	return &metav1.Time{Time: time.Date(2026, 11, 2, 8, 0, seconds, 0, time.UTC).Local()}
}

func condition(hold *v1beta1.NodeMaintenance, kind string, status metav1.ConditionStatus, reason, message string) {
	hold.Status.Conditions = append(hold.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, ObservedGeneration: 1, LastTransitionTime: *at(2), Reason: reason, Message: message,
	})
}

func newlyCreated(hold *v1beta1.NodeMaintenance) {
	hold.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, DrainProgress: ptr.To[int32](0)}
}

func noNode(hold *v1beta1.NodeMaintenance) {
	const message = "node worker-1 does not exist: the maintenance starts when it appears; if the name is wrong, delete this NodeMaintenance"
	hold.Status.ObservedGeneration, hold.Status.LastUpdate = 1, at(2)
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeNotFound, message)
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNodeNotFound, message)
}

// recorded has what the node was like before.
func recorded(hold *v1beta1.NodeMaintenance) {
	hold.Status = v1beta1.NodeMaintenanceStatus{
		ObservedGeneration: 1, Phase: v1beta1.PhaseRunning, DrainProgress: ptr.To[int32](0), LastUpdate: at(2), NodeUID: "7d4f1c52-8f0e-4a53-b0b4-95f7e0f0c6aa",
		NodeBefore: &v1beta1.NodeBefore{
			Unschedulable: true, Taints: []string{"node.kubernetes.io/unschedulable:NoSchedule"}, AddedTaints: []string{"medik8s.io/drain:NoSchedule"},
			Labels: map[string]string{v1beta1.ExcludeFromRemediationLabel: "false"},
		},
	}
}

func leaseHeld(hold *v1beta1.NodeMaintenance) {
	const message = "self-node-remediation has the lease of node worker-1 until 2026-11-02T09:00:00Z"
	hold.Status.Phase, hold.Status.LastError, hold.Status.LeaseErrorCount = v1beta1.PhasePending, message, 2
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonLeaseLost, message)
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonLeaseLost, message)
}

func idle(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Stage = v1beta1.StageIdle
	hold.Status = v1beta1.NodeMaintenanceStatus{ObservedGeneration: 1, Phase: v1beta1.PhasePending, LastUpdate: at(2)}
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonStageIdle, "spec.stage is Idle: this hold does not cordon the node")
}

// waiting waits for a policy.
func waiting(hold *v1beta1.NodeMaintenance) {
	const message = `policy "workers": 2 of 2 nodes in maintenance (worker-2, worker-3)`
	hold.Status.ObservedGeneration, hold.Status.LastUpdate = 1, at(2)
	hold.Status.Admission = &v1beta1.MaintenanceAdmission{
		Stage: v1beta1.StageIdle, EarliestStartTime: at(600),
		WaitingFor: []v1beta1.AdmissionWait{{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: message}},
		Approvals: []v1beta1.MaintenanceDecision{{
			Policy: "workers", Decision: v1beta1.DecisionApproved, By: "bob", Time: *at(10), Generation: 1,
			NodeUID: "7d4f1c52-8f0e-4a53-b0b4-95f7e0f0c6aa", Reason: "the team agrees",
		}},
	}
	condition(hold, v1beta1.ConditionAdmitted, metav1.ConditionFalse, string(v1beta1.AdmissionQueued), message)
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted, message)
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted, message)
}

func cordoned(hold *v1beta1.NodeMaintenance) {
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned, "node worker-1 is cordoned")
}

func onlyCordon(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Stage, hold.Status.Phase, hold.Status.DrainProgress = v1beta1.StageCordon, v1beta1.PhaseSucceeded, nil
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonStageCordon, "spec.stage is Cordon: this hold evicts no pod from node worker-1")
}

func draining(hold *v1beta1.NodeMaintenance) {
	s := &hold.Status
	s.DrainProgress, s.EvictionPods, s.TotalPods, s.StartTime = ptr.To[int32](33), 3, 5, at(2)
	s.PendingPods, s.PendingPodCount = []string{"shop/db-0", "shop/web-1"}, 2
	s.Blockers, s.BlockedPodCount, s.SkippedPodCount = []v1beta1.DrainBlocker{{
		Pod: "shop/db-0", Reason: v1beta1.BlockerDisruptionBudget, Object: "PodDisruptionBudget/shop/db", Permanent: true,
		Message: "budget db needs 1 healthy pod, and no more than 1 are expected: add replicas, or let the budget require fewer",
	}}, 1, 1
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining, "2 of 3 pods are still to leave")
	condition(hold, v1beta1.ConditionBlocked, metav1.ConditionTrue, string(v1beta1.BlockerDisruptionBudget), "1 pod is blocked")
}

func drained(hold *v1beta1.NodeMaintenance) {
	s := &hold.Status
	s.Phase, s.DrainProgress, s.DrainedTime = v1beta1.PhaseSucceeded, ptr.To[int32](100), at(30)
	s.PendingPods, s.PendingPodCount, s.Blockers, s.BlockedPodCount = nil, 0, nil, 0
	s.Conditions = s.Conditions[:1]
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone, "the pods that spec.drain selects have left")
	condition(hold, v1beta1.ConditionVolumesDetached, metav1.ConditionTrue, v1beta1.ReasonNoVolumesAttached, "no volume is attached")
}

func failed(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Drain.TimeoutSeconds, hold.Status.Deadline = ptr.To[int64](60), at(62)
	hold.Status.Phase, hold.Status.Conditions = v1beta1.PhaseFailed, hold.Status.Conditions[:1]
	condition(hold, v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded, "2 pods are left past the deadline; evictions continue")
}

func deleted(hold *v1beta1.NodeMaintenance) {
	hold.DeletionTimestamp, hold.DeletionGracePeriodSeconds, hold.Generation = at(90), ptr.To[int64](0), 2
}

// released waits only for the finalizer of somebody else.
func released(hold *v1beta1.NodeMaintenance) {
	hold.Finalizers = []string{"example.com/audit"}
	hold.Status = v1beta1.NodeMaintenanceStatus{ObservedGeneration: 2, Phase: v1beta1.PhasePending, LastUpdate: at(91)}
	condition(hold, v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonReleased, "this NodeMaintenance was deleted")
}

func imported(hold *v1beta1.NodeMaintenance) {
	hold.Annotations = map[string]string{v1beta1.ImportedAnnotation: `{"apiVersion":"nodemaintenance.medik8s.io/v1beta1","name":"maintenance-worker-1",` +
		`"uid":"1d0b4f0a-6d0e-4f57-8f2d-1f5a8f0f1a11","creationTime":"2026-11-02T07:00:00Z"}`}
}

// everySetting has each field of the spec, and of the metadata that a client can set.
func everySetting(hold *v1beta1.NodeMaintenance) {
	selector := &metav1.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"front"}}},
	}
	hold.GenerateName, hold.Labels, hold.Annotations = "every-", map[string]string{"team": "storage"}, map[string]string{"example.com/ticket": "4711"}
	hold.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "example.com/v1", Kind: "Rollout", Name: "kernel", UID: "u", Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	hold.ManagedFields[0].Subresource = "status"
	hold.Spec.ExpirationSeconds, hold.Spec.OverrideQuorum = ptr.To[int64](3600), true
	hold.Spec.Priority, hold.Spec.NotBefore, hold.Spec.StartDeadline, hold.Spec.BypassPolicies = 5, at(1), at(60), true
	hold.Spec.Drain = v1beta1.DrainSpec{
		PodSelector: selector, GracePeriodSeconds: ptr.To[int64](30), TimeoutSeconds: ptr.To[int64](600), OnTimeout: v1beta1.OnTimeoutDelete,
		UnmanagedPods: v1beta1.PolicyBlock, EmptyDirPods: v1beta1.PolicyBlock,
		Rules: []v1beta1.DrainRule{
			{PodSelector: selector, NamespaceSelector: selector, PodAnnotations: map[string]string{"karpenter.sh/do-not-disrupt": "true"}, Action: v1beta1.ActionDrain, Order: 7},
			{Action: v1beta1.ActionSkip},
			{Action: v1beta1.ActionWaitCompleted},
		},
	}
	hold.Status.ExpirationTime = at(3600)
	hold.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain, AdmittedTime: at(2), Approved: true}
	condition(hold, v1beta1.ConditionAdmitted, metav1.ConditionTrue, string(v1beta1.AdmissionBypassed), "it does not wait for policies")
	condition(hold, v1beta1.ConditionExpiring, metav1.ConditionTrue, v1beta1.ReasonExpiresSoon, "the hold ends soon")
}
