// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// cluster is a cluster with the nodes worker-1 and worker-2 and some policies.
type cluster struct {
	holds    *holdstorage.REST
	served   *REST
	policies []v1beta1.MaintenancePolicy
	// secret are the policies for which nobody may decide.
	secret []string
}

func (c *cluster) authorize(_ context.Context, policy, hold string) error {
	if slices.Contains(c.secret, policy) {
		return apierrors.NewForbidden(v1beta1.Resource(Resource), hold, errors.New("may not approve"))
	}
	return nil
}

func (c *cluster) Wake(string)         {}
func (c *cluster) CheckSpace() error   { return nil }
func (c *cluster) HasNode(string) bool { return true }

func (c *cluster) Node(name string) (*corev1.Node, error) {
	if name != "worker-1" && name != "worker-2" {
		return nil, nil
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid of " + name), Labels: map[string]string{"name": name}}}, nil
}

func (c *cluster) Plan(context.Context, *v1beta1.NodeMaintenance, bool) (*v1beta1.DrainPlanStatus, error) {
	return &v1beta1.DrainPlanStatus{}, nil
}

func (c *cluster) List(context.Context, *metainternalversion.ListOptions) (runtime.Object, error) {
	return &v1beta1.MaintenancePolicyList{Items: slices.Clone(c.policies)}, nil
}

func newCluster(t *testing.T, policies ...v1beta1.MaintenancePolicy) *cluster {
	t.Helper()
	c := &cluster{policies: policies}
	definition := nodemaintenance.Definition(scheme.Scheme, holdstorage.New(c, c, c, nil, nil))
	storages, err := resource.NewStorage(definition, registrytest.RESTOptions(t, v1beta1.Resource("nodemaintenances")))
	if err != nil {
		t.Fatal(err)
	}
	c.holds = storages["nodemaintenances"].(*holdstorage.REST)
	t.Cleanup(c.holds.Destroy)
	registrytest.WaitUntilReady(t, c.holds)
	c.served = New(c.holds, c, c, c.authorize)
	return c
}

// policy selects the node of that name, or all nodes if it is empty, and asks for approvals.
func policy(name, node string) v1beta1.MaintenancePolicy {
	selector := &metav1.LabelSelector{}
	if node != "" {
		selector.MatchLabels = map[string]string{"name": node}
	}
	return v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1beta1.MaintenancePolicySpec{NodeSelector: selector, Approvals: &v1beta1.PolicyApprovals{Count: 1}},
	}
}

func allowSelf(policy v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicy {
	policy.Spec.Approvals.AllowSelf = true
	return policy
}

func withoutApprovals(policy v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicy {
	policy.Spec.Approvals = nil
	return policy
}

func as(name string) context.Context {
	return genericapirequest.WithUser(genericapirequest.WithNamespace(context.Background(), ""), &user.DefaultInfo{Name: name})
}

// hold creates a hold of alice on the node.
func (c *cluster) hold(t *testing.T, name, node string, change ...func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	t.Helper()
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageDrain},
	}
	hold.Spec.Drain = v1beta1.DrainSpec{OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict}
	for _, change := range change {
		change(hold)
	}
	created, err := c.holds.Create(as("alice"), hold, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created.(*v1beta1.NodeMaintenance)
}

// change updates a hold as alice, and its status as the server.
func (c *cluster) change(name string, change func(*v1beta1.NodeMaintenance)) error {
	_, _, err := c.holds.Update(as("alice"), name, changed(change), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	return err
}

func (c *cluster) changeStatus(t *testing.T, name string, change func(*v1beta1.MaintenanceAdmission)) {
	t.Helper()
	store := *c.holds.Store
	store.UpdateStrategy = resource.Decided(store.UpdateStrategy) // keeps the rest
	_, _, err := store.Update(as("server"), name, changed(func(hold *v1beta1.NodeMaintenance) {
		if hold.Status.Admission == nil {
			hold.Status.Admission = &v1beta1.MaintenanceAdmission{}
		}
		change(hold.Status.Admission)
	}), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func changed(change func(*v1beta1.NodeMaintenance)) rest.UpdatedObjectInfo {
	return rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		hold := old.DeepCopyObject().(*v1beta1.NodeMaintenance)
		change(hold)
		return hold, nil
	})
}

// decide sends a decision. An approval is of the hold as it is stored, unless it says something else.
func (c *cluster) decide(by, name string, approval v1beta1.MaintenanceApproval, dryRun ...string) (*v1beta1.MaintenanceApproval, error) {
	if approval.Decision == v1beta1.DecisionApproved {
		seen := &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{UID: "none", Generation: 1}}
		if found, err := c.served.hold(as(by), name); err == nil {
			seen = found
		}
		approval.UID, approval.Generation = cmp.Or(approval.UID, seen.UID), cmp.Or(approval.Generation, seen.Generation)
	}
	decided, err := c.served.Create(as(by), name, &approval, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dryRun})
	if err != nil {
		return nil, err
	}
	return decided.(*v1beta1.MaintenanceApproval), nil
}

func (c *cluster) withdraw(by, name string, dryRun ...string) error {
	_, _, err := c.served.Delete(as(by), name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{DryRun: dryRun})
	return err
}

// wantDecisions fails the test unless the hold has these decisions: "user decision policy generation".
func (c *cluster) wantDecisions(t *testing.T, name string, want ...string) {
	t.Helper()
	found, err := c.holds.Get(as("alice"), name, &metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range decisionsOf(found.(*v1beta1.NodeMaintenance)) {
		got = append(got, fmt.Sprintf("%s %s %s %d", d.By, d.Decision, d.Policy, d.Generation))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the decisions %q, want %q", got, want)
	}
}

func wantRefusal(t *testing.T, err error, code int32, text string) {
	t.Helper()
	var status apierrors.APIStatus
	var ok bool
	if status, ok = err.(apierrors.APIStatus); !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	if status.Status().Code != code || !strings.Contains(err.Error(), text) {
		t.Errorf("got %d %q, want %d %q", status.Status().Code, err, code, text)
	}
}

func TestDecisionsAreStored(t *testing.T) {
	c := newCluster(t, policy("workers", "worker-1"), policy("others", "worker-2"), withoutApprovals(policy("all", "")))
	hold := c.hold(t, "a", "worker-1")
	decided, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved, Reason: "fine"})
	if err != nil {
		t.Fatal(err)
	}
	if decided.Name != "a" || decided.Policy != "workers" || decided.UID != hold.UID || decided.Generation != 1 {
		t.Errorf("the answer does not say what was decided: %+v", decided)
	}
	c.wantDecisions(t, "a", "bob Approved workers 1")
	if _, err := c.decide("carol", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied}); err != nil {
		t.Fatal(err)
	}
	c.wantDecisions(t, "a", "carol Approved workers 1", "bob Denied workers 1")
	found, _ := c.holds.Get(as("alice"), "a", &metav1.GetOptions{})
	for _, decision := range decisionsOf(found.(*v1beta1.NodeMaintenance)) {
		if decision.NodeUID != "uid of worker-1" || decision.Time.IsZero() {
			t.Errorf("the decision does not say of which node, or when: %+v", decision)
		}
	}
	if found.(*v1beta1.NodeMaintenance).Generation != 1 {
		t.Error("a decision counts as a change of the spec")
	}
}

func TestDryRunsDecideNothing(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1")
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}, metav1.DryRunAll); err != nil {
		t.Fatal(err)
	}
	c.wantDecisions(t, "a")
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	if err := c.withdraw("bob", "a", metav1.DryRunAll); err != nil {
		t.Fatal(err)
	}
	c.wantDecisions(t, "a", "bob Approved workers 1")
}

func TestDecisionsThatAreRefused(t *testing.T) {
	two := []v1beta1.MaintenancePolicy{policy("b", ""), policy("a", ""), policy("elsewhere", "worker-2"), withoutApprovals(policy("free", ""))}
	now := metav1.Now()
	tests := map[string]struct {
		policies []v1beta1.MaintenancePolicy
		by       string
		approval v1beta1.MaintenanceApproval
		status   func(*v1beta1.MaintenanceAdmission)
		node     string
		stage    v1beta1.MaintenanceStage
		hold     string
		wantCode int32
		want     string
	}{
		"no decision":           {approval: v1beta1.MaintenanceApproval{}, wantCode: 422, want: "decision: Required value: must be Approved or Denied"},
		"another decision":      {approval: v1beta1.MaintenanceApproval{Decision: "Perhaps"}, wantCode: 422, want: `decision: Unsupported value: "Perhaps"`},
		"another name":          {approval: v1beta1.MaintenanceApproval{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, wantCode: 422, want: "metadata.name: Invalid value"},
		"a reason of two lines": {approval: v1beta1.MaintenanceApproval{Reason: "a\nb", Decision: v1beta1.DecisionDenied}, wantCode: 422, want: "reason: Invalid value"},
		"a long reason":         {approval: v1beta1.MaintenanceApproval{Reason: strings.Repeat("a", 1025), Decision: v1beta1.DecisionDenied}, wantCode: 422, want: "reason: Too long"},
		"a negative generation": {approval: v1beta1.MaintenanceApproval{Generation: -1, Decision: v1beta1.DecisionDenied}, wantCode: 422, want: "generation: Invalid value"},
		"a user with a long name": {
			by: strings.Repeat("a", 1025), wantCode: 422, want: "by: Too long",
		},
		"no such hold":         {hold: "b", approval: v1beta1.MaintenanceApproval{Policy: "workers"}, wantCode: http.StatusNotFound, want: `nodemaintenances.maintenance.medik8s.io "b" not found`},
		"no such node":         {node: "worker-9", approval: v1beta1.MaintenanceApproval{Policy: "workers"}, wantCode: http.StatusConflict, want: "the node does not exist"},
		"no policy asks":       {policies: two[2:], wantCode: http.StatusForbidden, want: `user "bob" may decide for no policy that asks for approvals of it, or it does not exist`},
		"several policies ask": {policies: two, wantCode: 422, want: `"several-policies-ask" is invalid: policy: Required value: more than one asks for approvals of maintenance of node "worker-1": "b", "a"`},
		"another policy":       {policies: two, approval: v1beta1.MaintenanceApproval{Policy: "free"}, wantCode: 422, want: `Invalid value: "free": does not ask for approvals of maintenance of node "worker-1"`},
		"a policy elsewhere":   {policies: two, approval: v1beta1.MaintenanceApproval{Policy: "elsewhere"}, wantCode: 422, want: `does not ask for approvals`},
		"another UID":          {approval: v1beta1.MaintenanceApproval{UID: "x"}, wantCode: http.StatusConflict, want: "uid is x, but the NodeMaintenance of this name has the UID "},
		"another generation":   {approval: v1beta1.MaintenanceApproval{Generation: 2}, wantCode: http.StatusConflict, want: "generation is 2, but the NodeMaintenance is at generation 1: its spec has changed"},
		"one's own":            {by: "alice", wantCode: http.StatusForbidden, want: `user "alice" has created it, and policy "workers" asks for the approval of somebody else`},
		"a hold that asks for nothing": {
			stage: v1beta1.StageIdle, wantCode: http.StatusConflict, want: "its stage is Idle",
		},
		"a hold that was admitted": {
			status:   func(a *v1beta1.MaintenanceAdmission) { a.Stage, a.AdmittedTime = v1beta1.StageDrain, &now },
			wantCode: http.StatusConflict, want: "it was admitted at " + now.UTC().Format("2006-01-02T15:04:05Z"),
		},
		"a hold with too many decisions": {
			status: func(a *v1beta1.MaintenanceAdmission) {
				for i := range maxDecisions {
					a.Approvals = append(a.Approvals, v1beta1.MaintenanceDecision{By: fmt.Sprint(i), Policy: "workers", Decision: v1beta1.DecisionDenied, Generation: 1})
				}
			},
			wantCode: http.StatusForbidden, want: "it has 64 decisions",
		},
	}
	c := newCluster(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c.policies = []v1beta1.MaintenancePolicy{policy("workers", "")}
			if test.policies != nil {
				c.policies = test.policies
			}
			stored := strings.ReplaceAll(name, " ", "-")
			stored = strings.ToLower(strings.NewReplacer("'", "", ",", "").Replace(stored))
			c.hold(t, stored, or(test.node, "worker-1"), func(hold *v1beta1.NodeMaintenance) {
				hold.Spec.Stage = v1beta1.MaintenanceStage(or(string(test.stage), "Drain"))
			})
			if test.status != nil {
				c.changeStatus(t, stored, test.status)
			}
			if test.approval.Decision == "" && name != "no decision" {
				test.approval.Decision = v1beta1.DecisionApproved
			}
			_, err := c.decide(or(test.by, "bob"), or(test.hold, stored), test.approval)
			wantRefusal(t, err, test.wantCode, test.want)
		})
	}
}

func or(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// Nobody approves what they have not seen: neither what was changed since, nor what was created since under its name.
func TestApprovalsSayWhatWasSeen(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	hold := c.hold(t, "a", "worker-1")
	const show = "; to see it: kubectl get nm a -o jsonpath='{.metadata.uid} {.metadata.generation}'"
	tests := map[string]struct {
		seen     v1beta1.MaintenanceApproval
		wantCode int32
		want     string
	}{
		"the generation alone": {
			seen: v1beta1.MaintenanceApproval{Generation: 1}, wantCode: 422,
			want: "uid: Required value: must be the metadata.uid of what you approve" + show,
		},
		"the UID alone": {
			seen: v1beta1.MaintenanceApproval{UID: hold.UID}, wantCode: 422,
			want: "generation: Required value: must be the metadata.generation of what you approve" + show,
		},
		"the one before": {
			seen: v1beta1.MaintenanceApproval{UID: "before", Generation: 1}, wantCode: http.StatusConflict,
			want: "uid is before, but",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.seen.Decision = v1beta1.DecisionApproved
			_, err := c.served.Create(as("bob"), "a", &test.seen, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
			wantRefusal(t, err, test.wantCode, test.want)
			c.wantDecisions(t, "a")
		})
	}
}

func TestRequestorsDecide(t *testing.T) {
	c := newCluster(t, allowSelf(policy("workers", "")))
	c.hold(t, "a", "worker-1")
	if _, err := c.decide("alice", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Errorf("they may not although the policy allows it: %v", err)
	}
	c.policies = []v1beta1.MaintenancePolicy{policy("workers", "")}
	if _, err := c.decide("alice", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied}); err != nil {
		t.Errorf("they may not deny their own: %v", err)
	}
	c.wantDecisions(t, "a", "alice Denied workers 1")
}

func TestAStageThatWasRaisedIsDecidedAnew(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageCordon })
	approve := v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}
	if _, err := c.decide("bob", "a", approve); err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	c.changeStatus(t, "a", func(a *v1beta1.MaintenanceAdmission) {
		a.Stage, a.AdmittedTime, a.Approved = v1beta1.StageCordon, &now, true
	})
	if err := c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageDrain }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.decide("carol", "a", approve); err != nil {
		t.Errorf("it cannot be approved: %v", err)
	}
	c.wantDecisions(t, "a", "bob Approved workers 1", "carol Approved workers 2")
}

func TestVoidDecisionsMakeRoom(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1")
	c.changeStatus(t, "a", func(a *v1beta1.MaintenanceAdmission) {
		for i := range maxDecisions {
			decision := v1beta1.DecisionApproved
			if i == 0 {
				decision = v1beta1.DecisionDenied // which stays, whatever changes
			}
			a.Approvals = append(a.Approvals, v1beta1.MaintenanceDecision{By: fmt.Sprint(i), Policy: "workers", Decision: decision, Generation: 1})
		}
	})
	if err := c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Reason = "x" }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	found, _ := c.holds.Get(as("alice"), "a", &metav1.GetOptions{})
	decisions := decisionsOf(found.(*v1beta1.NodeMaintenance))
	if len(decisions) != maxDecisions || decisions[0].By != "0" || decisions[1].By != "2" || decisions[maxDecisions-1].By != "bob" {
		t.Errorf("got %d decisions, from %+v to %+v", len(decisions), decisions[:2], decisions[len(decisions)-1])
	}
}

func TestDecisionsAreWithdrawn(t *testing.T) {
	c := newCluster(t, policy("a", ""), policy("b", ""))
	hold := c.hold(t, "a", "worker-1")
	for _, by := range []string{"bob", "carol"} {
		for _, policy := range []string{"a", "b"} {
			if _, err := c.decide(by, "a", v1beta1.MaintenanceApproval{Policy: policy, Decision: v1beta1.DecisionApproved}); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantRefusal(t, c.withdraw("dave", "a"), http.StatusNotFound, `user "dave" has decided nothing`)
	other := types.UID("x")
	_, _, err := c.served.Delete(as("bob"), "a", rest.ValidateAllObjectFunc, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	wantRefusal(t, err, http.StatusConflict, "the precondition is the UID x, but the NodeMaintenance of this name has the UID "+string(hold.UID))
	if err := c.withdraw("bob", "a"); err != nil {
		t.Fatal(err)
	}
	c.wantDecisions(t, "a", "carol Approved a 1", "carol Approved b 1")
	if err := c.withdraw("carol", "a"); err != nil {
		t.Fatal(err)
	}
	found, _ := c.holds.Get(as("alice"), "a", &metav1.GetOptions{})
	if admission := found.(*v1beta1.NodeMaintenance).Status.Admission; admission != nil {
		t.Errorf("an empty status.admission is left: %+v", admission)
	}
}

func TestNothingIsWithdrawnAfterTheStart(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1")
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	c.changeStatus(t, "a", func(a *v1beta1.MaintenanceAdmission) {
		a.Stage, a.AdmittedTime, a.Approved = v1beta1.StageDrain, &now, true
	})
	wantRefusal(t, c.withdraw("bob", "a"), http.StatusConflict, "and goes on whoever withdraws a decision; to end it, delete it")
	c.wantDecisions(t, "a", "bob Approved workers 1")
}

func TestAnApprovedDrainIsFrozen(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1")
	drain := func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.EmptyDirPods = v1beta1.PolicyBlock }
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	if err := c.change("a", drain); err != nil {
		t.Fatalf("it is frozen before it was admitted: %v", err)
	}
	c.changeStatus(t, "a", func(a *v1beta1.MaintenanceAdmission) { a.Stage, a.Approved = v1beta1.StageDrain, true })
	wantRefusal(t, c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.EmptyDirPods = v1beta1.PolicyEvict }), 422,
		`spec.drain: Forbidden: is frozen: it was approved by "bob"; delete the NodeMaintenance and create another`)
	if err := c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Reason = "x" }); err != nil {
		t.Errorf("the reason is frozen, too: %v", err)
	}
}

// Who may decide for no policy cannot tell whether there is a hold, a node or a policy.
func TestDecisionsAreAuthorizedFirst(t *testing.T) {
	c := newCluster(t, policy("secret", "worker-1"), policy("workers", "worker-2"), policy("other", "worker-2"))
	c.hold(t, "a", "worker-1")
	c.hold(t, "gone", "worker-9")
	c.hold(t, "b", "worker-2")
	c.secret = []string{"secret", "workers", "other"}
	deny := v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied}
	for _, name := range []string{"a", "b", "gone", "none"} {
		_, err := c.decide("bob", name, deny)
		wantRefusal(t, err, http.StatusForbidden, `"`+name+`" is forbidden: user "bob" may decide for no policy that asks for approvals of it, or it does not exist`)
		named := deny
		named.Policy = "secret"
		_, err = c.decide("bob", name, named)
		wantRefusal(t, err, http.StatusForbidden, "may not approve")
		wantRefusal(t, c.withdraw("bob", name), http.StatusNotFound, `nodemaintenances/approval.maintenance.medik8s.io "`+name+`" not found: user "bob" has decided nothing`)
	}
	c.secret = []string{"workers"}
	if decided, err := c.decide("bob", "b", deny); err != nil || decided.Policy != "other" {
		t.Errorf("got %+v, %v, want a decision for the only policy that bob may decide for", decided, err)
	}
}

func TestDecisionsAreAuthorizedForThePolicy(t *testing.T) {
	c := newCluster(t, policy("workers", ""))
	c.hold(t, "a", "worker-1")
	if _, err := c.decide("bob", "a", v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved}); err != nil {
		t.Fatal(err)
	}
	var admitted []string
	refuse := func(_ context.Context, obj runtime.Object) error {
		admitted = append(admitted, obj.(*v1beta1.MaintenanceApproval).Policy)
		return apierrors.NewForbidden(v1beta1.Resource(Resource), "a", nil)
	}
	_, err := c.served.Create(as("bob"), "a", &v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied}, refuse, &metav1.CreateOptions{})
	wantRefusal(t, err, http.StatusForbidden, "forbidden")
	_, _, err = c.served.Delete(as("bob"), "a", refuse, &metav1.DeleteOptions{})
	wantRefusal(t, err, http.StatusForbidden, "forbidden")
	if want := []string{"workers", "workers"}; !slices.Equal(admitted, want) {
		t.Errorf("admission saw the policies %q, want %q", admitted, want)
	}
	c.wantDecisions(t, "a", "bob Approved workers 1")
}
