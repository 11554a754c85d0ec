// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// start is the time when the tests begin: a Saturday.
var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fleet is the facts of a test, which change.
type fleet struct {
	Facts
	decider Decider
	uids    int
	// unnamed are the holds that the marks on their nodes do not name.
	unnamed map[types.UID]bool
}

// newFleet has the nodes w-1 to w-n, Ready since yesterday. zones has their zones, one letter for each.
func newFleet(zones string) *fleet {
	f := &fleet{Facts: Facts{Now: start, Started: map[GateKey]GateAnswer{}, Pods: map[string]PodLoad{}, Released: map[string]bool{}}}
	for i, zone := range zones {
		f.addNode(fmt.Sprintf("w-%d", i+1), map[string]string{corev1.LabelTopologyZone: string(zone), "pool": "web"})
	}
	return f
}

func (f *fleet) addNode(name string, labels map[string]string) *corev1.Node {
	since := metav1.NewTime(f.Now.Add(-24 * time.Hour))
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: f.uid(), Labels: labels, CreationTimestamp: since}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
	f.Nodes = append(f.Nodes, n)
	return n
}

func (f *fleet) uid() types.UID {
	f.uids++
	return types.UID(fmt.Sprint("uid-", f.uids))
}

// policy adds a policy that selects all nodes, and returns its spec.
func (f *fleet) policy(name string) *v1beta1.MaintenancePolicySpec {
	p := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, UID: f.uid(), Generation: 1}}
	p.Spec.NodeSelector = &metav1.LabelSelector{}
	f.Policies = append(f.Policies, p)
	return &p.Spec
}

// hold adds a hold of a node with the stage Drain. Its name is that of the node with a letter.
func (f *fleet) hold(name, node string) *v1beta1.NodeMaintenance {
	h := &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), Generation: 1, CreationTimestamp: metav1.NewTime(f.Now),
	}}
	h.Spec = v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageDrain, Requestor: "rita", Reason: "kernel"}
	f.Holds = append(f.Holds, h)
	return h
}

// holds adds a hold of each node, a second after one another.
func (f *fleet) holds(nodes ...string) {
	for i, node := range nodes {
		f.hold("h-"+node, node).CreationTimestamp = metav1.NewTime(f.Now.Add(time.Duration(i-len(nodes)) * time.Second))
	}
}

// decide decides, and stores the ledger.
func (f *fleet) decide() Outcome {
	f.Taken = f.taken()
	outcome := f.decider.Decide(f.Facts)
	f.Ledger = outcome.Ledger
	return outcome
}

// taken are the holds that have their nodes out of service.
func (f *fleet) taken() map[types.UID]bool {
	taken := map[types.UID]bool{}
	for _, h := range f.Holds {
		taken[h.UID] = h.Status.NodeBefore != nil && !f.unnamed[h.UID] && slices.ContainsFunc(f.Nodes, func(n *corev1.Node) bool {
			return n.Name == h.Spec.NodeName && n.UID == h.Status.NodeUID && marked(n)
		})
	}
	return taken
}

// marked says whether the node carries a mark of maintenance.
func marked(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint })
}

// pass lets time pass.
func (f *fleet) pass(d time.Duration) { f.Now = f.Now.Add(d) }

func (f *fleet) node(name string) *corev1.Node {
	return f.Nodes[slices.IndexFunc(f.Nodes, func(n *corev1.Node) bool { return n.Name == name })]
}

func (f *fleet) ready(name string, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	f.node(name).Status.Conditions[0] = corev1.NodeCondition{
		Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(f.Now),
	}
}

// store has the statuses of the holds say what was decided, and the same approvals as before.
func (f *fleet) store(o Outcome) {
	for _, h := range f.Holds {
		answer, next := o.Holds[h.UID], v1beta1.MaintenanceAdmission{}
		if h.Status.Admission != nil {
			next.Approvals = h.Status.Admission.Approvals
		}
		next.Stage, next.Approved, next.AdmittedTime = answer.Stage, answer.Approved, metaTime(answer.AdmittedTime)
		h.Status.Admission = &next
	}
}

// take does what the drainer does when a hold was admitted.
func (f *fleet) take(h *v1beta1.NodeMaintenance) {
	n := f.node(h.Spec.NodeName)
	n.Spec.Unschedulable = true
	n.Spec.Taints = []corev1.Taint{{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}}
	h.Status.NodeUID, h.Status.NodeBefore = n.UID, &v1beta1.NodeBefore{}
}

// end deletes the hold of a node, and gives the node back.
func (f *fleet) end(node string) {
	f.Holds = slices.DeleteFunc(f.Holds, func(h *v1beta1.NodeMaintenance) bool { return h.Spec.NodeName == node })
	n := f.node(node)
	n.Spec.Unschedulable, n.Spec.Taints = false, nil
	f.Released[node] = true
}

func (f *fleet) drop(name string) {
	f.Nodes = slices.DeleteFunc(f.Nodes, func(n *corev1.Node) bool { return n.Name == name })
}

// entered are the nodes of the ledger.
func entered(o Outcome) []string {
	var nodes []string
	for _, e := range o.Ledger.Entries {
		nodes = append(nodes, e.Node)
	}
	return nodes
}

// admittedHolds are the names of the holds that do not wait.
func (f *fleet) admittedHolds(o Outcome) []string {
	var admitted []string
	for _, h := range f.Holds {
		if answer := o.Holds[h.UID]; answer.Stage == wanted(h) && !answer.AdmittedTime.IsZero() {
			admitted = append(admitted, h.Name)
		}
	}
	return admitted
}

// waitsOf are what a hold waits for, in one line.
func waitsOf(o Outcome, hold string) string { return Message(o.Holds[types.UID(hold)].Waits) }

// reasonsOf are why a hold waits.
func reasonsOf(o Outcome, hold string) []v1beta1.AdmissionReason {
	var reasons []v1beta1.AdmissionReason
	for _, wait := range o.Holds[types.UID(hold)].Waits {
		reasons = append(reasons, wait.Reason)
	}
	return reasons
}

func wantEqual[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func limit(text string) *intstr.IntOrString { return ptr.To(intstr.Parse(text)) }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
