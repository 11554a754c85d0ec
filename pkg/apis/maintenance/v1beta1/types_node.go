// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=get,list
// +resourceName=nodes
// +genclient:method=CreateMaintenance,verb=create,subresource=maintenance,input=NodeMaintenance,result=NodeMaintenance
// +genclient:method=GetMaintenance,verb=get,subresource=maintenance,result=NodeMaintenanceList
// +genclient:method=GetDrainPlan,verb=get,subresource=drainplan,result=DrainPlan
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeState says of one node of the cluster whether it is in maintenance and who holds it:
// kubectl get nodes.maintenance.medik8s.io. There is one for each Node. It is made when it is
// asked for, and cannot be watched or changed.
//
// Its subresources are what a team that was given the node works with: nodes/<name>/maintenance
// starts (POST), shows (GET) and ends (DELETE) maintenance of the node; nodes/<name>/drainplan
// shows what a drain would do.
type NodeState struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata: the name and the labels are the Node's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// status says whether the node is in maintenance.
	// +optional
	Status NodeStateStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeStateList is a list of NodeStates.
type NodeStateList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata. The resourceVersion is empty: what the list says is not stored.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the NodeStates, sorted by name.
	Items []NodeState `json:"items"`
}

// NodeStateStatus says whether a node is in maintenance.
type NodeStateStatus struct {
	// state sums it up: InService (no NodeMaintenance asks for anything), Unschedulable (the
	// same, but somebody has cordoned the node in another way), Pending (in maintenance, but
	// not cordoned yet), Cordoned (no pod is evicted), Draining, Failed (pods are left past a
	// deadline), Drained, Releasing (being given back).
	State NodeMaintenanceState `json:"state"`
	// unschedulable says that no new pods come to the node.
	// +optional
	Unschedulable bool `json:"unschedulable,omitempty"`
	// drainProgress is how much of the drain is done, from 0 to 100 percent: of several
	// NodeMaintenances, that of the least. Not set: no drain is asked for.
	// +optional
	DrainProgress *int32 `json:"drainProgress,omitempty"`
	// since is when the oldest of the holds was created.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// holdCount is how many NodeMaintenances keep the node.
	// +optional
	HoldCount int32 `json:"holdCount"`
	// holds are the NodeMaintenances that keep the node, oldest first. At most 20 are listed;
	// holdCount counts all.
	// +optional
	// +listType=atomic
	Holds []NodeHold `json:"holds,omitempty"`
}

// NodeMaintenanceState is whether a node is in maintenance, and how far.
// +enum
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
	Name string `json:"name"`
	// requestor is the user who created it.
	Requestor string `json:"requestor"`
	// reason is why the node is in maintenance.
	// +optional
	Reason string `json:"reason,omitempty"`
	// stage is how far it goes.
	Stage MaintenanceStage `json:"stage"`
	// phase is how far it has come.
	// +optional
	Phase MaintenancePhase `json:"phase,omitempty"`
	// since is when it was created.
	Since metav1.Time `json:"since"`
}
