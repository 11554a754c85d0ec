// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeState shows whether a node of the cluster is in maintenance, and who holds it: kubectl get
// nodes.maintenance.medik8s.io. There is one for each Node. The server computes it from the Node and
// its NodeMaintenances. It can be watched, but not changed.
//
// Teams whose permissions name single nodes use its subresources. nodes/<name>/maintenance starts
// (POST), shows (GET) and ends (DELETE) maintenance of the node. nodes/<name>/drainplan shows what
// a drain would do.
type NodeState struct {
	metav1.TypeMeta
	// Standard object's metadata: the name and the labels are the Node's. The resourceVersion changes
	// when the NodeState does, and whenever the server restarts.
	metav1.ObjectMeta

	// status is whether the node is in maintenance, and who holds it.
	Status NodeStateStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeStateList is a list of NodeStates.
type NodeStateList struct {
	metav1.TypeMeta
	// Standard list metadata. A watch can go on from the resourceVersion, until the server restarts.
	metav1.ListMeta

	// items are the NodeStates, sorted by name.
	Items []NodeState
}

// NodeStateStatus is whether a node is in maintenance, and who holds it.
type NodeStateStatus struct {
	// state summarizes the maintenance of the node: InService (no NodeMaintenance cordons or drains
	// the node), Unschedulable (the same, but the node is cordoned otherwise), Pending (in
	// maintenance, but not cordoned yet), Cordoned (no pod is evicted), Draining, Failed (pods are
	// still on the node after a deadline), PartiallyDrained (the drain is done, but it leaves pods on
	// the node that a drain of all pods would evict), Drained (no such pod is left), Releasing (the
	// node is being given back).
	State NodeMaintenanceState
	// unschedulable is true if no new pods are scheduled to the node.
	Unschedulable bool
	// drainProgress is how much of the drain is done, from 0 to 100 percent. If several
	// NodeMaintenances drain the node, it is the lowest of their values. If none drains the node,
	// it is not set.
	DrainProgress *int32
	// admission says whether maintenance of the node may start, if NodeMaintenances of it wait for a
	// MaintenancePolicy. Answers to get and list compute it. A watch sends what status.admission of
	// the NodeMaintenances says, without positions, whenever that changes.
	Admission *AdmissionForecast
	// since is when the oldest of the holds was created.
	Since *metav1.Time
	// holdCount is the number of NodeMaintenances that hold the node.
	HoldCount int32
	// holds are the NodeMaintenances that hold the node, oldest first. At most 20 are listed;
	// holdCount counts all.
	Holds []NodeHold
}

// NodeMaintenanceState is whether a node is in maintenance, and how far the maintenance has come.
type NodeMaintenanceState string

const (
	// NodeInService means that no NodeMaintenance cordons or drains the node.
	NodeInService NodeMaintenanceState = "InService"
	// NodeUnschedulable means the same, but the node is cordoned otherwise, for example by hand.
	NodeUnschedulable NodeMaintenanceState = "Unschedulable"
	// NodePending means that the node is in maintenance, but not cordoned yet.
	NodePending NodeMaintenanceState = "Pending"
	// NodeCordoned means that the node is cordoned, and that no pod is evicted.
	NodeCordoned NodeMaintenanceState = "Cordoned"
	// NodeDraining means that pods are leaving.
	NodeDraining NodeMaintenanceState = "Draining"
	// NodeFailed means that pods are still on the node after the deadline of a NodeMaintenance.
	NodeFailed NodeMaintenanceState = "Failed"
	// NodePartiallyDrained means that the pods that the NodeMaintenances drain have left the node, but
	// others are still there that a drain of all pods would evict.
	NodePartiallyDrained NodeMaintenanceState = "PartiallyDrained"
	// NodeDrained means that no pod is left on the node that a drain would evict.
	NodeDrained NodeMaintenanceState = "Drained"
	// NodeReleasing means that the node is being given back, since no NodeMaintenance needs it any
	// more.
	NodeReleasing NodeMaintenanceState = "Releasing"
)

// NodeHold is one NodeMaintenance that holds a node.
type NodeHold struct {
	// name is the name of the NodeMaintenance.
	Name string
	// requestor is the user who created the NodeMaintenance.
	Requestor string
	// reason is why the node is in maintenance.
	Reason string
	// stage is how far the maintenance goes.
	Stage MaintenanceStage
	// phase is how far the maintenance has come.
	Phase MaintenancePhase
	// since is when the NodeMaintenance was created.
	Since metav1.Time
}
