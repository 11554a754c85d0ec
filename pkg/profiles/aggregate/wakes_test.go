// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The checks of the tests.
var (
	labelCheck      = v1beta1.ProfileCheck{NodeLabel: &v1beta1.KeyValueCheck{Key: "k"}}
	annotationCheck = v1beta1.ProfileCheck{NodeAnnotation: &v1beta1.KeyValueCheck{Key: "k"}}
	conditionCheck  = v1beta1.ProfileCheck{NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: "True"}}
	expressionCheck = v1beta1.ProfileCheck{Node: &v1beta1.NodeExpressionCheck{Expression: "node.spec.unschedulable"}}
	objectCheck     = v1beta1.ProfileCheck{Object: &v1beta1.ObjectCheck{NameExpression: "node.metadata.name"}}
	groupCheck      = v1beta1.ProfileCheck{MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1, GroupBy: []string{"k"}}}
	anyCheck        = v1beta1.ProfileCheck{AnyNode: &v1beta1.KeyValueCheck{Key: "k"}}
	anyValueCheck   = v1beta1.ProfileCheck{AnyNode: &v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("v")}}
	countCheck      = v1beta1.ProfileCheck{NodeCount: &v1beta1.NodeCountCheck{Min: 3}}
	versionCheck    = v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "k"}}
	scopedCheck     = v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "k", Scope: v1beta1.VersionScopeProfile}}
	roomCheck       = v1beta1.ProfileCheck{PodAffinity: &v1beta1.PodAffinityCheck{MinOperational: 2}}
	approvalCheck   = v1beta1.ProfileCheck{Approval: &v1beta1.ApprovalCheck{}}
)

// beat is what a kubelet reports again and again.
func beat(n *corev1.Node) {
	n.ResourceVersion += "1"
	n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{"image"}})
	for i := range n.Status.Conditions {
		n.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(n.Status.Conditions[i].LastHeartbeatTime.Add(time.Minute))
	}
}

// TestOwnNode shows which changes of its own node wake a NodeProfile.
func TestOwnNode(t *testing.T) {
	label := func(n *corev1.Node) { n.Labels = has("x") }
	annotation := func(n *corev1.Node) { n.Annotations = has("x") }
	other := func(n *corev1.Node) {
		n.Labels, n.Annotations = map[string]string{"other": "x"}, map[string]string{"other": "x"}
	}
	notReady := func(n *corev1.Node) { n.Status.Conditions[0].Status = "False" }
	for name, tc := range map[string]struct {
		check  v1beta1.ProfileCheck
		change func(*corev1.Node)
		want   bool
	}{
		"heartbeat, label":      {labelCheck, beat, false},
		"heartbeat, condition":  {conditionCheck, beat, false},
		"heartbeat, expression": {expressionCheck, beat, false},
		"heartbeat, any node":   {anyCheck, beat, false},
		"label":                 {labelCheck, label, true},
		"another label":         {labelCheck, other, false},
		"a label, but the check is about annotations": {annotationCheck, label, false},
		"annotation":         {annotationCheck, annotation, true},
		"another annotation": {annotationCheck, other, false},
		"condition":          {conditionCheck, notReady, true},
		"a condition, but the check is about labels": {labelCheck, notReady, false},
		"label that is grouped by":                   {groupCheck, label, true},
		"label with the version":                     {versionCheck, label, true},
		"expression, label":                          {expressionCheck, other, true},
		"expression, condition":                      {expressionCheck, notReady, true},
		"expression, spec":                           {expressionCheck, func(n *corev1.Node) { n.Spec.Unschedulable = true }, true},
		"expression, taint":                          {expressionCheck, func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k"}} }, true},
		"expression, finalizer":                      {expressionCheck, func(n *corev1.Node) { n.Finalizers = []string{"f"} }, true},
		"expression, kubelet":                        {expressionCheck, func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = "v" }, true},
		"label, and the node names an object":        {objectCheck, label, true},
		"another node of the same name":              {approvalCheck, func(n *corev1.Node) { n.UID = "new" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestAggregate(newProfile("p", tc.check))
			node := newNode("w-1", nil)
			node.Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: "True"}}
			a.SetNode(node)
			a.SetNodeProfile(onNode("w-1", "p", v1beta1.ProfileOperational))
			a.SetNodeProfile(onNode("w-2", "p", v1beta1.ProfileOperational))
			changed := node.DeepCopy()
			tc.change(changed)
			want := ""
			if tc.want {
				want = "w-1.p"
			}
			if got := strings.Join(a.SetNode(changed), " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestOnlyTheStateCounts shows that checks of other states wake nobody.
func TestOnlyTheStateCounts(t *testing.T) {
	p := newProfile("p", labelCheck, anyCheck)
	p.Spec.States.Operational = v1beta1.ProfileStateSpec{}
	a := newTestAggregate(p)
	a.SetNode(newNode("w-1", nil))
	a.SetNode(newNode("w-2", nil))
	a.SetNodeProfile(onNode("w-1", "p", v1beta1.ProfileOperational))
	a.SetNodeProfile(onNode("w-2", "p", v1beta1.ProfileInMaintenance))
	if got := strings.Join(a.SetNode(newNode("w-1", has("x"))), " "); got != "w-2.p" {
		t.Errorf("got %q", got)
	}
}

// step is an event, and whom it is to wake.
type step struct {
	event func(*Aggregate) []string
	want  string
}

func (s step) run(t *testing.T, i int, a *Aggregate) {
	t.Helper()
	if got := strings.Join(s.event(a), " "); got != s.want {
		t.Errorf("step %d: got %q, want %q", i, got, s.want)
	}
}

func node(name string, labels map[string]string) func(*Aggregate) []string {
	return func(a *Aggregate) []string { return a.SetNode(newNode(name, labels)) }
}

func gone(name string) func(*Aggregate) []string {
	return func(a *Aggregate) []string { return a.DeleteNode(name) }
}

func nodeProfile(node, profile string, state v1beta1.ProfileState) func(*Aggregate) []string {
	return func(a *Aggregate) []string { return a.SetNodeProfile(onNode(node, profile, state)) }
}

// TestTheCluster shows that a change of the cluster wakes only those whose answer has flipped. w-1.p asks; the steps
// change other nodes.
func TestTheCluster(t *testing.T) {
	const operational, required = v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired
	for name, tc := range map[string]struct {
		check v1beta1.ProfileCheck
		own   map[string]string
		steps []step
	}{
		"any node": {anyCheck, nil, []step{
			{node("w-2", nil), ""},
			{node("w-2", has("x")), "w-1.p"},
			{node("w-2", has("y")), ""},
			{node("w-3", has("x")), ""},
			{node("w-2", nil), ""},
			{gone("w-3"), "w-1.p"},
		}},
		"any node with a value": {anyValueCheck, nil, []step{
			{node("w-2", has("x")), ""},
			{node("w-3", has("v")), "w-1.p"},
			{node("w-3", has("x")), "w-1.p"},
			{gone("w-3"), ""},
		}},
		"count": {countCheck, nil, []step{
			{node("w-2", nil), ""},
			{node("w-3", nil), "w-1.p"},
			{node("w-4", nil), ""},
			{gone("w-4"), ""},
			{gone("w-3"), "w-1.p"},
		}},
		"version": {versionCheck, has("1.9.0"), []step{
			{node("w-2", has("1.8.0")), ""},
			{node("w-2", has("1.10.0")), "w-1.p"},
			{node("w-3", has("1.11.0")), ""},
			{node("w-3", has("latest")), ""},
			{gone("w-2"), "w-1.p"},
			{gone("w-2"), ""},
		}},
		"version within the profile": {scopedCheck, has("1.9.0"), []step{
			{node("w-2", has("1.10.0")), ""},
			{nodeProfile("w-2", "p", operational), "w-1.p w-2.p"},
			{node("w-2", has("1.9.0")), "w-1.p w-2.p"},
			{node("w-2", has("1.11.0")), "w-1.p w-2.p"},
			{func(a *Aggregate) []string { return a.DeleteNodeProfile(onNode("w-2", "p", operational)) }, "w-1.p"},
			{node("w-2", has("1.12.0")), ""},
		}},
		"operational nodes": {roomCheck, nil, []step{
			{nodeProfile("w-2", "p", operational), "w-2.p"},
			{nodeProfile("w-3", "p", operational), "w-1.p w-2.p w-3.p"},
			{nodeProfile("w-4", "p", operational), "w-4.p"},
			{nodeProfile("w-4", "p", required), "w-4.p"},
			{nodeProfile("w-3", "p", required), "w-1.p w-2.p w-3.p w-4.p"},
		}},
		"a profile of the node enters maintenance": {approvalCheck, nil, []step{
			{nodeProfile("w-1", "q", required), "w-1.q"},
			{nodeProfile("w-1", "q", v1beta1.ProfileInMaintenance), "w-1.p w-1.q"},
			{nodeProfile("w-2", "q", v1beta1.ProfileInMaintenance), "w-2.q"},
			{func(a *Aggregate) []string { return a.DeleteNodeProfile(onNode("w-1", "q", required)) }, "w-1.p"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestAggregate(newProfile("p", tc.check), newProfile("q"))
			a.SetNode(newNode("w-1", tc.own))
			a.SetNodeProfile(onNode("w-1", "p", required))
			for i, step := range tc.steps {
				step.run(t, i, a)
			}
		})
	}
}

// TestNodesComeAndGo shows that NodeProfiles are woken when their node is created or deleted.
func TestNodesComeAndGo(t *testing.T) {
	a := newTestAggregate(newProfile("p"), newProfile("q"))
	for i, s := range []step{
		{nodeProfile("w-1", "p", v1beta1.ProfileOperational), "w-1.p"},
		{nodeProfile("w-1", "q", v1beta1.ProfileOperational), "w-1.q"},
		{node("w-1", nil), "w-1.p w-1.q"},
		{node("w-2", nil), ""},
		{gone("w-1"), "w-1.p w-1.q"},
		{gone("w-1"), ""},
	} {
		s.run(t, i, a)
	}
}

// TestNodeProfiles shows which changes of its own status wake a NodeProfile: not those that tell people what is so.
func TestNodeProfiles(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1beta1.NodeProfileStatus)
		want   string
	}{
		"told": {func(s *v1beta1.NodeProfileStatus) {
			s.Checks, s.WaitingFor = []v1beta1.CheckStatus{{Name: "c"}}, "x"
			s.Notifications = []v1beta1.NotificationStatus{{ID: "x"}}
		}, ""},
		"state":      {func(s *v1beta1.NodeProfileStatus) { s.State = v1beta1.ProfileMaintenanceRequired }, "w-1.p"},
		"sequence":   {func(s *v1beta1.NodeProfileStatus) { s.Sequence++ }, "w-1.p"},
		"attempt":    {func(s *v1beta1.NodeProfileStatus) { s.Attempt++ }, "w-1.p"},
		"since":      {func(s *v1beta1.NodeProfileStatus) { s.Since = &metav1.Time{Time: time.Unix(1, 0)} }, "w-1.p"},
		"decision":   {func(s *v1beta1.NodeProfileStatus) { s.Decisions = []v1beta1.RecordedDecision{{By: "alice"}} }, "w-1.p"},
		"transition": {func(s *v1beta1.NodeProfileStatus) { s.Transition = &v1beta1.RecordedTransition{} }, "w-1.p"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestAggregate(newProfile("p", approvalCheck))
			np := onNode("w-1", "p", v1beta1.ProfileOperational)
			a.SetNodeProfile(np)
			changed := np.DeepCopy()
			tc.change(&changed.Status)
			if got := strings.Join(a.SetNodeProfile(changed), " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestProfiles shows that a new spec wakes all NodeProfiles of a profile, and a new status none.
func TestProfiles(t *testing.T) {
	a := newTestAggregate()
	set := func(change func(*v1beta1.MaintenanceProfile)) func(*Aggregate) []string {
		return func(a *Aggregate) []string {
			p := newProfile("p", anyCheck)
			change(p)
			return a.SetProfile(p)
		}
	}
	for i, s := range []step{
		{node("w-2", has("x")), ""},
		{nodeProfile("w-1", "p", v1beta1.ProfileOperational), "w-1.p"},
		{nodeProfile("w-2", "p", v1beta1.ProfileOperational), "w-2.p"},
		{set(func(*v1beta1.MaintenanceProfile) {}), "w-1.p w-2.p"},
		{set(func(p *v1beta1.MaintenanceProfile) { p.Status.Counts.Nodes = 2 }), ""},
		{node("w-2", nil), "w-1.p w-2.p"},
		{set(func(p *v1beta1.MaintenanceProfile) { p.Generation, p.Spec.Checks = 2, nil }), "w-1.p w-2.p"},
		{node("w-2", has("x")), ""},
	} {
		s.run(t, i, a)
	}
}
