// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeState says of one node of the cluster whether it is in maintenance and who holds it:
// kubectl get nodes.maintenance.medik8s.io. There is one for each Node. It is made when it is
// asked for, and cannot be watched or changed.
//
// Its subresources are what a team that was given the node works with: nodes/<name>/maintenance
// starts (POST), shows (GET) and ends (DELETE) maintenance of the node; nodes/<name>/drainplan
// shows what a drain would do.
type NodeState struct {
	metav1.TypeMeta
	// Standard object's metadata: the name and the labels are the Node's.
	metav1.ObjectMeta

	// status says whether the node is in maintenance.
	Status NodeStateStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeStateList is a list of NodeStates.
type NodeStateList struct {
	metav1.TypeMeta
	// Standard list metadata. The resourceVersion is empty: what the list says is not stored.
	metav1.ListMeta

	// items are the NodeStates, sorted by name.
	Items []NodeState
}

// NodeStateStatus says whether a node is in maintenance.
type NodeStateStatus struct {
	// state sums it up: InService (no NodeMaintenance asks for anything), Unschedulable (the
	// same, but somebody has cordoned the node in another way), Pending (in maintenance, but
	// not cordoned yet), Cordoned (no pod is evicted), Draining, Failed (pods are left past a
	// deadline), Drained, Releasing (being given back).
	State NodeMaintenanceState
	// unschedulable says that no new pods come to the node.
	Unschedulable bool
	// drainProgress is how much of the drain is done, from 0 to 100 percent: of several
	// NodeMaintenances, that of the least. Not set: no drain is asked for.
	DrainProgress *int32
	// since is when the oldest of the holds was created.
	Since *metav1.Time
	// holdCount is how many NodeMaintenances keep the node.
	HoldCount int32
	// holds are the NodeMaintenances that keep the node, oldest first. At most 20 are listed;
	// holdCount counts all.
	Holds []NodeHold
}

// NodeMaintenanceState is whether a node is in maintenance, and how far.
type NodeMaintenanceState string

const (
	// NodeInService means that no NodeMaintenance asks anything of the node.
	NodeInService NodeMaintenanceState = "InService"
	// NodeUnschedulable means the same, and that the node is cordoned all the same.
	NodeUnschedulable NodeMaintenanceState = "Unschedulable"
	// NodePending means that the node is not cordoned yet.
	NodePending NodeMaintenanceState = "Pending"
	// NodeCordoned means that no new pods come, and that none is evicted.
	NodeCordoned NodeMaintenanceState = "Cordoned"
	// NodeDraining means that pods are leaving.
	NodeDraining NodeMaintenanceState = "Draining"
	// NodeFailed means that pods are left past the deadline of a NodeMaintenance.
	NodeFailed NodeMaintenanceState = "Failed"
	// NodeDrained means that what the NodeMaintenances drain has left.
	NodeDrained NodeMaintenanceState = "Drained"
	// NodeReleasing means that the last NodeMaintenance ends, and the node is being given back.
	NodeReleasing NodeMaintenanceState = "Releasing"
)

// NodeHold is one NodeMaintenance that keeps a node.
type NodeHold struct {
	// name is the NodeMaintenance's.
	Name string
	// requestor is the user who created it.
	Requestor string
	// reason is why the node is in maintenance.
	Reason string
	// stage is how far it goes.
	Stage MaintenanceStage
	// phase is how far it has come.
	Phase MaintenancePhase
	// since is when it was created.
	Since metav1.Time
}
