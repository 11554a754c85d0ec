// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hold

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

const (
	node    = "worker-1"
	profile = "flatcar"
)

func nodeProfile() *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: node + "." + profile, UID: "np-uid"},
		Spec:       v1beta1.NodeProfileSpec{NodeName: node, Profile: profile},
		Status:     v1beta1.NodeProfileStatus{NodeUID: "node-uid"},
	}
}

func stepOf(trigger v1beta1.ProfileTrigger) action.Step {
	recorded := v1beta1.TransitionStep{ID: "0-drain", Trigger: trigger, State: v1beta1.StepRunning}
	return action.Step{
		Profile: profile, NodeProfile: nodeProfile(), Recorded: &recorded, Node: &corev1.Node{},
		Transition: &v1beta1.RecordedTransition{ID: "np-uid/3.1", Phase: v1beta1.PhaseTriggers, Name: "reboot"},
	}
}

func raise(spec v1beta1.HoldTrigger) action.Step { return stepOf(v1beta1.ProfileTrigger{Hold: &spec}) }

// stored is the NodeMaintenance of the profile as the server stores it.
func stored(change func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: Name(nodeProfile())}}
	hold.Spec.NodeName, hold.Spec.Requestor = nodeProfile().Spec.NodeName, Requestor(nodeProfile().Spec.Profile)
	Want{Stage: v1beta1.StageDrain, Reason: "transition reboot of profile flatcar"}.of(nodeProfile())(hold, true)
	v1beta1.SetObjectDefaults_NodeMaintenance(hold)
	hold.UID, hold.ResourceVersion, hold.Generation = "hold-uid", "5", 1
	hold.Status = v1beta1.NodeMaintenanceStatus{ObservedGeneration: 1, NodeUID: "node-uid"}
	if change != nil {
		change(hold)
	}
	return hold
}

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: 1}
}

func drained(h *v1beta1.NodeMaintenance) {
	h.Status.Conditions = []metav1.Condition{
		condition(v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned, ""),
		condition(v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonNodeEmpty, ""),
	}
}

func cordoned(h *v1beta1.NodeMaintenance) {
	drained(h)
	h.Status.Conditions[1] = condition(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining, "3 pods to go")
}

// somebodys is a hold of a person on the same node.
func somebodys() *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "disk", UID: "other-uid"},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Requestor: "alice", Stage: v1beta1.StageCordon},
	}
}

func holdsOf(t *testing.T, objects ...runtime.Object) (*Holds, *fake.Clientset) {
	t.Helper()
	client := fake.NewSimpleClientset(append(objects, somebodys())...)
	return New(client), client
}

func get(t *testing.T, client *fake.Clientset, name string) *v1beta1.NodeMaintenance {
	t.Helper()
	hold, err := client.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return hold
}

// writes are the verbs of the requests that change something.
func writes(client *fake.Clientset) []string {
	var verbs []string
	for _, a := range client.Actions() {
		if a.GetVerb() != "get" {
			verbs = append(verbs, a.GetVerb())
		}
	}
	return verbs
}

func TestRaiseCreates(t *testing.T) {
	holds, client := holdsOf(t)
	// What the SAP maintenance-controller reads and never uses: timeouts, and force that gets by disruption budgets.
	drain := &v1beta1.DrainSpec{TimeoutSeconds: ptr.To[int64](600), OnTimeout: v1beta1.OnTimeoutDelete}
	step := raise(v1beta1.HoldTrigger{Drain: drain})
	progress, err := Raise{holds}.Do(t.Context(), step)
	const name = "worker-1-bb5c204ae6ff8f0f2574cfb3735fdeaf"
	if want := action.Waiting("NodeMaintenance "+name+" has yet to cordon node worker-1", time.Time{}); err != nil || progress != want {
		t.Fatalf("progress %+v, error %v, want %+v", progress, err, want)
	}
	want := v1beta1.NodeMaintenanceSpec{
		NodeName: node, Requestor: "maintenance.medik8s.io:profile:flatcar", Stage: v1beta1.StageDrain,
		Reason: "transition reboot of profile flatcar",
		Drain: v1beta1.DrainSpec{
			TimeoutSeconds: ptr.To[int64](600), OnTimeout: v1beta1.OnTimeoutDelete,
			UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
		},
	}
	hold := get(t, client, name)
	if diff := cmp.Diff(want, hold.Spec); diff != "" {
		t.Error(diff)
	}
	owner := metav1.OwnerReference{APIVersion: "maintenance.medik8s.io/v1beta1", Kind: "NodeProfile", Name: "worker-1.flatcar", UID: "np-uid"}
	if diff := cmp.Diff([]metav1.OwnerReference{owner}, hold.OwnerReferences); diff != "" {
		t.Error(diff)
	}

	if _, err := (Raise{holds}).Do(t.Context(), step); err != nil || len(writes(client)) != 1 {
		t.Errorf("called again, it wrote %v, error %v", writes(client), err)
	}
}

// The SAP maintenance-controller counts a drain that goes on as a failure, and evaluates all checks again for it. Here the
// step waits, and says for what.
func TestRaise(t *testing.T) {
	toCordon := func(h *v1beta1.NodeMaintenance) {
		h.Spec.Stage = v1beta1.StageCordon
		cordoned(h)
	}
	tests := map[string]struct {
		stored      func(*v1beta1.NodeMaintenance)
		hold        v1beta1.HoldTrigger
		wantStage   v1beta1.MaintenanceStage
		wantWaiting string // a part of the message; empty: it is done
		wantWrites  []string
	}{
		"from cordon to drain": {
			stored: toCordon, wantStage: v1beta1.StageDrain, wantWaiting: "is being drained", wantWrites: []string{"update"},
		},
		"the stage is never lowered": {
			stored: drained, hold: v1beta1.HoldTrigger{Stage: v1beta1.StageCordon}, wantStage: v1beta1.StageDrain,
		},
		"a drain goes on while it is only to be cordoned": {
			stored: cordoned, wantStage: v1beta1.StageDrain,
			hold: v1beta1.HoldTrigger{Stage: v1beta1.StageCordon, Drain: &v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyBlock}},
		},
		"other pods": {
			stored: drained, hold: v1beta1.HoldTrigger{Drain: &v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyBlock}},
			wantStage: v1beta1.StageDrain, wantWrites: []string{"update"},
		},
		"without a wait": {
			stored: toCordon, hold: v1beta1.HoldTrigger{Wait: ptr.To(false)}, wantStage: v1beta1.StageDrain, wantWrites: []string{"update"},
		},
		"drained": {stored: drained, wantStage: v1beta1.StageDrain},
		"the status is of the spec before": {
			stored: func(h *v1beta1.NodeMaintenance) {
				drained(h)
				h.Generation = 2
			},
			wantStage: v1beta1.StageDrain, wantWaiting: "has yet to cordon node worker-1",
		},
		"another node of that name was drained": {
			stored: func(h *v1beta1.NodeMaintenance) {
				drained(h)
				h.Status.NodeUID = "former"
			},
			wantStage: v1beta1.StageDrain, wantWaiting: "is being drained",
		},
		"pods that cannot leave": {
			stored: func(h *v1beta1.NodeMaintenance) {
				cordoned(h)
				h.Status.BlockedPodCount = 3
				h.Status.Blockers = []v1beta1.DrainBlocker{{Pod: "default/db-0", Message: "budget db allows no disruption"}}
			},
			wantStage: v1beta1.StageDrain, wantWaiting: "pod default/db-0 (and 2 more) cannot leave node worker-1: budget db allows no disruption",
		},
		"a policy lets it wait": {
			stored: func(h *v1beta1.NodeMaintenance) {
				h.Status.Conditions = []metav1.Condition{
					condition(v1beta1.ConditionAdmitted, metav1.ConditionFalse, "Limit", "2nd of 3 that wait for policy p"),
					condition(v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted, "see the condition Admitted"),
				}
			},
			wantStage: v1beta1.StageDrain, wantWaiting: ": 2nd of 3 that wait for policy p",
		},
		"an earlier one is being given back": {
			stored: func(h *v1beta1.NodeMaintenance) {
				drained(h)
				h.DeletionTimestamp, h.Finalizers = &metav1.Time{}, []string{v1beta1.UncordonFinalizer}
			},
			hold: v1beta1.HoldTrigger{Wait: ptr.To(false)}, wantStage: v1beta1.StageDrain, wantWaiting: "is being given back",
		},
		"the NodeProfile was made anew": {
			stored: func(h *v1beta1.NodeMaintenance) {
				drained(h)
				h.OwnerReferences[0].UID = "former"
			},
			wantStage: v1beta1.StageDrain, wantWrites: []string{"update"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			holds, client := holdsOf(t, stored(test.stored))
			progress, err := Raise{holds}.Do(t.Context(), raise(test.hold))
			if err != nil || (progress == action.Done()) != (test.wantWaiting == "") || !strings.Contains(progress.Message, test.wantWaiting) {
				t.Errorf("progress %+v, error %v, want waiting for %q", progress, err, test.wantWaiting)
			}
			if hold := get(t, client, Name(nodeProfile())); hold.Spec.Stage != test.wantStage || hold.OwnerReferences[0].UID != "np-uid" && test.wantWrites != nil {
				t.Errorf("got %+v, want stage %s", hold, test.wantStage)
			}
			if diff := cmp.Diff(test.wantWrites, writes(client)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(somebodys(), get(t, client, "disk")); diff != "" {
				t.Errorf("the hold of a person has changed: %s", diff)
			}
		})
	}
}

// A state has its hold exactly as it asks for it, also if a trigger has raised it before.
func TestKeepExactly(t *testing.T) {
	holds, client := holdsOf(t, stored(drained))
	if _, err := holds.Keep(t.Context(), nodeProfile(), Want{Stage: v1beta1.StageCordon, Exactly: true}); err != nil {
		t.Fatal(err)
	}
	if hold := get(t, client, Name(nodeProfile())); hold.Spec.Stage != v1beta1.StageCordon {
		t.Errorf("the stage is %s, want Cordon", hold.Spec.Stage)
	}
}

// The SAP maintenance-controller uncordons a node even if somebody else had cordoned it, or still needs that. Release
// deletes what the profile has made, and nothing else: whether the node is uncordoned then is for the drainer to say.
func TestRelease(t *testing.T) {
	ending := func(h *v1beta1.NodeMaintenance) {
		drained(h)
		h.DeletionTimestamp, h.Finalizers = &metav1.Time{}, []string{v1beta1.UncordonFinalizer}
	}
	tests := map[string]struct {
		stored      *v1beta1.NodeMaintenance
		wait        *bool
		wantWaiting string
		wantWrites  []string
	}{
		"there is none":  {},
		"it waits":       {stored: stored(drained), wantWaiting: "node worker-1 is being given back", wantWrites: []string{"delete"}},
		"without a wait": {stored: stored(drained), wait: ptr.To(false), wantWrites: []string{"delete"}},
		"called again":   {stored: stored(ending), wantWaiting: "node worker-1 is being given back"},
		"a release gate keeps the node": {
			stored: stored(func(h *v1beta1.NodeMaintenance) {
				ending(h)
				h.Status.Conditions = []metav1.Condition{condition(v1beta1.ConditionReleased, metav1.ConditionFalse, v1beta1.ReasonReleaseGate, "gate g waits for x")}
			}),
			wantWaiting: "node worker-1 is not given back yet: gate g waits for x",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			holds, client := holdsOf(t)
			if test.stored != nil {
				holds, client = holdsOf(t, test.stored)
			}
			progress, err := Release{holds}.Do(t.Context(), stepOf(v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{Wait: test.wait}}))
			if err != nil || (progress == action.Done()) != (test.wantWaiting == "") || !strings.Contains(progress.Message, test.wantWaiting) {
				t.Errorf("progress %+v, error %v, want waiting for %q", progress, err, test.wantWaiting)
			}
			if diff := cmp.Diff(test.wantWrites, writes(client)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(somebodys(), get(t, client, "disk")); diff != "" {
				t.Errorf("the hold of a person has changed: %s", diff)
			}
		})
	}
}

func TestDeletesOnlyWhatItHasSeen(t *testing.T) {
	holds, client := holdsOf(t, stored(drained))
	if _, err := holds.GiveBack(t.Context(), nodeProfile(), false); err != nil {
		t.Fatal(err)
	}
	for _, a := range client.Actions() {
		if sent, is := a.(clienttesting.DeleteActionImpl); is && *sent.DeleteOptions.Preconditions.UID != "hold-uid" {
			t.Errorf("the delete is for %v", sent.DeleteOptions.Preconditions)
		}
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	holds, client := holdsOf(t, stored(cordoned))
	step := raise(v1beta1.HoldTrigger{Drain: &v1beta1.DrainSpec{UnmanagedPods: v1beta1.PolicyBlock}})
	step.DryRun = true
	if progress, err := (Raise{holds}).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Errorf("hold: progress %+v, error %v, want done", progress, err)
	}
	step = stepOf(v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{}})
	step.DryRun = true
	if progress, err := (Release{holds}).Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Errorf("release: progress %+v, error %v, want done", progress, err)
	}
	for _, a := range client.Actions() {
		switch sent := a.(type) {
		case clienttesting.UpdateActionImpl:
			if len(sent.UpdateOptions.DryRun) != 1 {
				t.Error("the update is not a dry run")
			}
		case clienttesting.DeleteActionImpl:
			if len(sent.DeleteOptions.DryRun) != 1 {
				t.Error("the delete is not a dry run")
			}
		}
	}
}

func TestErrors(t *testing.T) {
	resource := schema.GroupResource{Group: v1beta1.GroupName, Resource: "nodemaintenances"}
	tests := map[string]struct {
		err        error
		wantFailed bool
	}{
		"the store is full":    {err: apierrors.NewForbidden(resource, "x", errors.New("too many")), wantFailed: true},
		"the server is asleep": {err: context.DeadlineExceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			holds, client := holdsOf(t)
			client.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			progress, err := Raise{holds}.Do(t.Context(), raise(v1beta1.HoldTrigger{}))
			if (progress.State == v1beta1.StepFailed) != test.wantFailed || (err == nil) != test.wantFailed {
				t.Errorf("progress %+v, error %v, want failed: %t", progress, err, test.wantFailed)
			}
		})
	}
	t.Run("the name is another's", func(t *testing.T) {
		holds, client := holdsOf(t, stored(func(h *v1beta1.NodeMaintenance) { h.Spec.NodeName = "worker-10" }))
		if _, err := (Release{holds}).Do(t.Context(), stepOf(v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{}})); err == nil || len(writes(client)) > 0 {
			t.Errorf("error %v, writes %v, want an error and no write", err, writes(client))
		}
	})
}
