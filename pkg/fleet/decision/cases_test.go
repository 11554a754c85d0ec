// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The tests in this file are the hardest cases of a roll, as far as a decision alone shows them.

// Fifty holds are created, and the limit is 3. A leader that was stopped in between writes an old decision: it was made
// for an older ledger, so it is made again.
func TestCaseFiftyCreatesAndAnOldLeader(t *testing.T) {
	f := newFleet("")
	f.policy("all").Limits.MaxConcurrent = limit("3")
	for i := range 50 {
		f.addNode(fmt.Sprintf("n-%02d", i), nil)
		f.hold(fmt.Sprintf("h-%02d", i), fmt.Sprintf("n-%02d", i))
	}
	old := f.Facts
	wantEqual(t, "admitted", entered(f.decide()), []string{"n-00", "n-01", "n-02"})
	old.Ledger = f.Ledger
	wantEqual(t, "admitted by the old leader", entered(Decide(old)), []string{"n-00", "n-01", "n-02"})
}

// The process ends between each pair of: ledger write, cordon, give-back, release. The slot is taken from the first to
// the last of them.
func TestCaseKilledAtEachStep(t *testing.T) {
	f := newFleet("aa")
	f.policy("all").Limits.MaxConcurrent = limit("1")
	f.holds("w-1", "w-2")
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"admitted", func() {}, []string{"w-1"}},
		{"cordoned", func() { f.take(f.Holds[0]) }, []string{"w-1"}},
		{"hold deleted", func() { f.Holds = f.Holds[1:] }, []string{"w-1"}},
		{"given back, not looked at yet", func() { n := f.node("w-1"); n.Spec.Unschedulable, n.Spec.Taints = false, nil }, []string{"w-1"}},
		{"released", func() { f.Released["w-1"] = true }, []string{"w-2"}},
	}
	for _, step := range steps {
		step.do()
		for range 2 { // a restart decides again
			wantEqual(t, step.name, entered(f.decide()), step.want)
		}
	}
}

// Two policies select the node, and one of them has no room: nothing is taken of the other.
func TestCaseNoHalfAdmission(t *testing.T) {
	f := newFleet("aab")
	f.policy("all").Limits.MaxConcurrent = limit("1")
	zone := f.policy("zone-a")
	zone.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: "a"}}
	zone.Limits.MaxConcurrent = limit("0")
	f.holds("w-1", "w-3")
	o := f.decide()
	wantEqual(t, "admitted", entered(o), []string{"w-3"})
	if got, want := waitsOf(o, "h-w-1"), `policy "all": 1 of 1 node in maintenance (w-3); policy "zone-a": no node may be in maintenance`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The limit is lowered, the selector edited, the policy deleted and created again while nodes are in maintenance: what
// was admitted goes on, and counts.
func TestCaseEditedMidRoll(t *testing.T) {
	f := newFleet("aaaa")
	f.policy("all").Limits.MaxConcurrent = limit("3")
	f.holds("w-1", "w-2", "w-3", "w-4")
	f.decide()
	for _, h := range f.Holds[:3] {
		f.take(h)
	}
	admitted := []string{"w-1", "w-2", "w-3"}
	steps := map[string]func(){
		"1 lowered": func() { f.Policies[0].Spec.Limits.MaxConcurrent = limit("2") },
		"2 selector": func() {
			f.Policies[0].Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "db"}}
		},
		"3 deleted":   func() { f.Policies = nil },
		"4 recreated": func() { f.policy("all").Limits.MaxConcurrent = limit("3") },
	}
	for _, name := range keys(steps) {
		steps[name]()
		o := f.decide()
		wantEqual(t, name, entered(o), admitted)
		switch name {
		case "1 lowered":
			if got, want := waitsOf(o, "h-w-4"), `policy "all": 3 of 2 nodes in maintenance (w-1, w-2, w-3)`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		case "2 selector", "3 deleted":
			if o.Holds["h-w-4"].Stage == v1beta1.StageIdle {
				t.Errorf("%s: h-w-4 waits for %s", name, waitsOf(o, "h-w-4"))
			}
		}
	}
}

// A node in maintenance gets another zone, or leaves the policy: it counts in both zones, and goes on counting.
func TestCaseRelabelledWhileHeld(t *testing.T) {
	f := newFleet("aab")
	f.policy("all").Limits.Topology = []v1beta1.TopologyLimit{{Key: corev1.LabelTopologyZone, MaxConcurrent: limit("1")}}
	f.holds("w-1")
	f.decide()
	f.take(f.Holds[0])
	f.node("w-1").Labels[corev1.LabelTopologyZone] = "b"
	f.holds("w-2", "w-3")
	o := f.decide()
	wantEqual(t, "entered", entered(o), []string{"w-1"})
	for hold, zone := range map[string]string{"h-w-2": "a", "h-w-3": "b"} {
		if got, want := waitsOf(o, hold), `policy "all": 1 of 1 node of zone `+zone+` in maintenance (w-1)`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f.Policies[0].Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}
	f.node("w-1").Labels = map[string]string{}
	wantEqual(t, "entered, once it has left", entered(f.decide()), []string{"w-1", "w-3"})
}

// The node is recreated under the same name: the approval was for the former one, which counts until the API servers
// say that it is gone.
func TestCaseRecreatedAndApproved(t *testing.T) {
	f := newFleet("a")
	f.policy("all").Approvals = &v1beta1.PolicyApprovals{Count: 1}
	f.holds("w-1")
	f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
	if o := f.decide(); o.Holds["h-w-1"].Stage != v1beta1.StageDrain {
		t.Fatalf("waits for %s", waitsOf(o, "h-w-1"))
	}
	f.take(f.Holds[0])
	f.drop("w-1")
	f.addNode("w-1", nil)
	o := f.decide()
	wantEqual(t, "leaving", o.Leaving, []string{"w-1"})
	if got, want := waitsOf(o, "h-w-1"), `the former node w-1 is still counted; policy "all": 0 of 1 approval (1 void: the spec or the node has changed since)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.Released["w-1"] = true
	o = f.decide()
	wantEqual(t, "entered", entered(o), nil)
	wantEqual(t, "reasons", reasonsOf(o, "h-w-1"), []v1beta1.AdmissionReason{v1beta1.AdmissionApprovalNeeded})
}

// approve has a user decide on a hold as it is now.
func (f *fleet) approve(hold, by string, decision v1beta1.ApprovalDecision) {
	for _, h := range f.Holds {
		if h.Name == hold {
			if h.Status.Admission == nil {
				h.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}
			}
			h.Status.Admission.Approvals = append(h.Status.Admission.Approvals, v1beta1.MaintenanceDecision{
				Policy: "all", Decision: decision, By: by, Time: metav1.NewTime(f.Now), Generation: h.Generation, NodeUID: f.node(h.Spec.NodeName).UID,
			})
		}
	}
}

// A share follows the number of nodes while the cluster is scaled from 12 to 9 to none.
func TestCaseShareWhileAutoscaling(t *testing.T) {
	f := newFleet("aaaaaaaaaaaaaaaaaaaa")
	f.policy("all").Limits.MaxConcurrent = limit("10%")
	for _, step := range []struct {
		nodes int
		want  int32
	}{{20, 2}, {12, 1}, {9, 1}, {0, 1}} {
		f.Nodes = f.Nodes[:step.nodes]
		if got := *f.decide().Policies["all"].Status.MaxConcurrent; got != step.want {
			t.Errorf("%d nodes: the limit is %d, want %d", step.nodes, got, step.want)
		}
	}
}

// At the limit of unavailable nodes, one that is not Ready may still be repaired, and no other one starts.
func TestCaseCandidateNotReadyAtTheLimit(t *testing.T) {
	f := newFleet("aaaa")
	f.policy("all").Limits.MaxUnavailable = limit("1")
	f.ready("w-1", false)
	f.ready("w-2", false)
	f.holds("w-1", "w-3")
	o := f.decide()
	wantEqual(t, "entered", entered(o), []string{"w-1"})
	if got, want := waitsOf(o, "h-w-3"), `policy "all": 2 of 1 node unavailable (w-1, w-2)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.ready("w-2", true) // a neighbour that flaps
	if got, want := waitsOf(f.decide(), "h-w-3"), `policy "all": 1 of 1 node unavailable (w-1)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.ready("w-1", true)
	f.end("w-1")
	wantEqual(t, "entered, when all are well", entered(f.decide()), []string{"w-3"})
}

// Windows that touch are one, and the end of a window does not belong to it. What was admitted before goes on.
func TestCaseWindowCloses(t *testing.T) {
	f := newFleet("aa")
	f.policy("all").Schedule = &v1beta1.PolicySchedule{TimeZone: "Europe/Berlin", Windows: []v1beta1.PolicyWindow{
		{Name: "noon", Weekly: &v1beta1.WeeklyTime{Start: "13:00", End: "14:00"}},
		{Name: "afternoon", Weekly: &v1beta1.WeeklyTime{Start: "14:00", End: "16:00"}},
	}}
	f.holds("w-1")
	f.Now = start.Add(time.Hour) // 14:00 in Berlin
	wantEqual(t, "entered", entered(f.decide()), []string{"w-1"})
	f.Now = start.Add(3 * time.Hour)
	f.holds("w-2")
	o := f.decide()
	wantEqual(t, "entered at the end", entered(o), []string{"w-1"})
	if got, want := waitsOf(o, "h-w-2"), `policy "all": opens Sun 13:00 CET`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := o.Holds["h-w-2"].Earliest, start.Add(24*time.Hour); !got.Equal(want) {
		t.Errorf("earliest %s, want %s", got, want)
	}
	if !o.Again.Equal(start.Add(24 * time.Hour)) {
		t.Errorf("again %s, want when it opens", o.Again)
	}
}

// The clock steps back, or the next leader's is behind: starts and soaks ahead count as now, so they neither end early
// nor last for ever.
func TestCaseClockStepsBack(t *testing.T) {
	f := newFleet("aaa")
	f.policy("all").Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1), PerSeconds: ptr.To[int64](600), SoakSeconds: 300}
	f.Policies[0].Spec.Limits.MaxConcurrent = limit("1")
	f.holds("w-1", "w-2")
	f.decide()
	f.end("w-1")
	f.decide()
	f.pass(-24 * time.Hour)
	o := f.decide()
	wantEqual(t, "entered", entered(o), []string{"w-1"})
	if got := o.Ledger.Starts[0].Time.Time; !got.Equal(f.Now) {
		t.Errorf("the start is at %s, want now, %s", got, f.Now)
	}
	f.pass(299 * time.Second)
	wantEqual(t, "entered while it soaks", entered(f.decide()), []string{"w-1"})
	f.pass(time.Second)
	wantEqual(t, "entered within the pace", entered(f.decide()), nil)
	f.pass(300 * time.Second)
	wantEqual(t, "entered afterwards", entered(f.decide()), []string{"w-2"})
}

// An approval by the requestor, who may be impersonated, does not count; an edit of the spec, the end of its time and
// its withdrawal make an approval void until the start, and do nothing afterwards.
func TestCaseApprovalRacesAdmission(t *testing.T) {
	for name, test := range map[string]struct {
		do        func(f *fleet)
		wantWaits string
	}{
		"approved": {func(*fleet) {}, ""},
		"by the requestor": {
			func(f *fleet) { f.Holds[0].Status.Admission.Approvals[0].By = "rita" }, `policy "all": 0 of 1 approval`,
		},
		"edited": {
			func(f *fleet) { f.Holds[0].Generation++ },
			`policy "all": 0 of 1 approval (1 void: the spec or the node has changed since)`,
		},
		"edited, and approved again": {func(f *fleet) {
			f.Holds[0].Generation++
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
		}, ""},
		"expired":     {func(f *fleet) { f.pass(24 * time.Hour) }, `policy "all": 0 of 1 approval`},
		"last second": {func(f *fleet) { f.pass(24*time.Hour - time.Second) }, ""},
		"withdrawn":   {func(f *fleet) { f.Holds[0].Status.Admission.Approvals = nil }, `policy "all": 0 of 1 approval`},
		"denied by another": {
			func(f *fleet) { f.approve("h-w-1", "bob", v1beta1.DecisionDenied) }, `policy "all": denied by bob`,
		},
		"denied, and edited": {
			func(f *fleet) {
				f.approve("h-w-1", "bob", v1beta1.DecisionDenied)
				f.Holds[0].Generation++
				f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
			}, `policy "all": denied by bob`,
		},
		"denied, and approved after an edit": {func(f *fleet) {
			f.approve("h-w-1", "ann", v1beta1.DecisionDenied)
			f.Holds[0].Generation++
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
		}, ""},
		"changed mind": {func(f *fleet) {
			f.approve("h-w-1", "ann", v1beta1.DecisionDenied)
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			f.policy("all").Approvals = &v1beta1.PolicyApprovals{Count: 1}
			f.holds("w-1")
			f.approve("h-w-1", "ann", v1beta1.DecisionApproved)
			test.do(f)
			o := f.decide()
			if got := waitsOf(o, "h-w-1"); got != test.wantWaits {
				t.Fatalf("got %q, want %q", got, test.wantWaits)
			}
			if test.wantWaits != "" {
				return
			}
			if !o.Ledger.Entries[0].Holds[0].Approved {
				t.Error("the ledger does not say that it was approved")
			}
			f.store(o)
			f.Holds[0].Status.Admission.Approvals = nil
			f.Holds[0].Generation++
			if got := waitsOf(f.decide(), "h-w-1"); got != "" {
				t.Errorf("after its start, it waits for %q", got)
			}
		})
	}
}

// The gates of one policy never answer: another policy's nodes go on.
func TestCaseGatesHang(t *testing.T) {
	f := newFleet("aabb")
	for _, zone := range []string{"a", "b"} {
		spec := f.policy("zone-" + zone)
		spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: zone}}
		spec.Limits.MaxConcurrent = limit("1")
	}
	f.Policies[0].Spec.Gates = &v1beta1.PolicyGates{Start: []v1beta1.PolicyGate{{PlanUnblocked: true}}}
	f.holds("w-1", "w-2", "w-3", "w-4")
	o := f.decide()
	wantEqual(t, "entered", entered(o), []string{"w-3"})
	wantEqual(t, "to be checked: as many as there is room for", o.Check, []GateKey{{"h-w-1", "zone-a"}})
	wantEqual(t, "reasons", reasonsOf(o, "h-w-1"), []v1beta1.AdmissionReason{v1beta1.AdmissionGateFailed})
	if got, want := waitsOf(o, "h-w-2"), `policy "zone-a": another node is first (w-1)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.Started[GateKey{"h-w-1", "zone-a"}] = GateAnswer{Reason: v1beta1.AdmissionPlanBlocked, Message: "pod web/db-0 cannot leave"}
	o = f.decide()
	wantEqual(t, "to be checked when one has failed", o.Check, []GateKey{{"h-w-1", "zone-a"}, {"h-w-2", "zone-a"}})
	if got, want := waitsOf(o, "h-w-1"), `policy "zone-a": pod web/db-0 cannot leave`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.Started[GateKey{"h-w-2", "zone-a"}] = GateAnswer{Passed: true}
	wantEqual(t, "entered when one has passed", entered(f.decide()), []string{"w-2", "w-3"})
}

// Release gates have let a node go that is not given back yet. The ledger does not begin its release again.
func TestLetGoNodeIsNotReleasedAgain(t *testing.T) {
	f := newFleet("a")
	f.policy("all").Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{DaemonSetPodsReady: true}}}
	f.holds("w-1")
	f.decide()
	f.take(f.Holds[0])
	f.Holds[0].DeletionTimestamp = ptr.To(metav1.NewTime(f.Now))
	f.decide()
	f.Ledger.Entries[0].ReleaseTime, f.LetGo = nil, map[string]bool{"w-1": true}
	for range 2 {
		if since := f.decide().Ledger.Entries[0].ReleaseTime; since != nil {
			t.Errorf("the release goes on since %s", since)
		}
		f.pass(time.Second)
	}
}

// A release gate never passes: that is a failure after its time, the slot stays taken, and a hold that joins takes the
// node over.
func TestCaseReleaseGateNeverPasses(t *testing.T) {
	f := newFleet("aa")
	spec := f.policy("all")
	spec.Limits.MaxConcurrent = limit("1")
	spec.Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{DaemonSetPodsReady: true}}, ReleaseTimeoutSeconds: ptr.To[int64](600)}
	spec.AutoStop = &v1beta1.PolicyAutoStop{Failures: 1}
	f.holds("w-1", "w-2")
	f.decide()
	f.take(f.Holds[0])
	f.Holds[0].DeletionTimestamp = ptr.To(metav1.NewTime(f.Now))
	o := f.decide()
	if o.Ledger.Entries[0].ReleaseTime == nil || !o.Again.Equal(start.Add(600*time.Second)) {
		t.Errorf("the release does not begin: %+v, again %s", o.Ledger.Entries[0], o.Again)
	}
	f.pass(600 * time.Second)
	o = f.decide()
	wantEqual(t, "entered", entered(o), []string{"w-1"})
	wantEqual(t, "failures", failuresOf(o), []string{"w-1 ReleaseTimedOut"})
	wantEqual(t, "reasons", reasonsOf(o, "h-w-2"), []v1beta1.AdmissionReason{v1beta1.AdmissionStopped, v1beta1.AdmissionQueued})
	f.Policies[0].Spec.AutoStop.IgnoreBefore = ptr.To(metav1.NewTime(f.Now))
	f.hold("again", "w-1")
	o = f.decide()
	if o.Holds["again"].Stage != v1beta1.StageDrain || o.Ledger.Entries[0].ReleaseTime != nil {
		t.Errorf("the second hold waits for %q, and the release goes on since %v", waitsOf(o, "again"), o.Ledger.Entries[0].ReleaseTime)
	}
}

// failuresOf are the failures of the ledger.
func failuresOf(o Outcome) []string {
	var failures []string
	for _, f := range o.Ledger.Failures {
		failures = append(failures, f.Node+" "+string(f.Reason))
	}
	return failures
}

// A hold needs room in A and in B, and streams of holds need it in only one of them, so that one of the two is always
// taken. Once the hold has waited for agingSeconds, the next free room is kept for it.
func TestCaseNeedsTwoPolicies(t *testing.T) {
	for name, test := range map[string]struct {
		aging        int64
		wantMinutes  int
		wantKeptText string
	}{
		"an hour":     {3600, 61, `policy "b": another node is first (both)`},
		"two minutes": {120, 3, `policy "b": another node is first (both)`},
		"a month":     {2592000, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("")
			for _, policy := range []string{"a", "b"} {
				spec := f.policy(policy)
				spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{policy: "yes"}}
				spec.Limits.MaxConcurrent = limit("1")
				spec.Queue.AgingSeconds = &test.aging
			}
			f.addNode("both", map[string]string{"a": "yes", "b": "yes"})
			f.Pods["both"] = PodLoad{Evictable: 100} // it comes last
			stream := func(i int) string { return fmt.Sprintf("n-%03d", i) }
			started, kept := 0, ""
			for minute := range 150 {
				f.addNode(stream(minute), map[string]string{[]string{"a", "b"}[minute%2]: "yes"})
				f.hold(stream(minute), stream(minute))
				f.Pods[stream(minute)] = PodLoad{}
				if minute == 1 {
					f.hold("h-both", "both")
				}
				o := f.decide()
				if kept == "" {
					kept = waitsOf(o, stream(minute))
				}
				if o.Holds["h-both"].Stage == v1beta1.StageDrain {
					started = minute - 1
					break
				}
				if minute > 0 {
					f.end(stream(minute - 1))
				}
				f.pass(time.Minute)
			}
			if started != test.wantMinutes || kept != test.wantKeptText {
				t.Errorf("started after %d minutes, the others waited for %q; want %d, %q", started, kept, test.wantMinutes, test.wantKeptText)
			}
		})
	}
}

// A second hold joins a node in maintenance without room, Cordon becomes Drain only with consent, a hold that goes to
// Idle and back asks anew, and a bypass starts beyond the limit and counts.
func TestCaseJoinsAndCheats(t *testing.T) {
	f := newFleet("aaa")
	spec := f.policy("all")
	spec.Limits.MaxConcurrent = limit("1")
	spec.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1), PerSeconds: ptr.To[int64](3600)}
	first := f.hold("first", "w-1")
	first.Spec.Stage = v1beta1.StageCordon
	f.decide()
	f.take(first)

	f.hold("second", "w-1")
	wantEqual(t, "with a second hold", f.admittedHolds(f.decide()), []string{"first", "second"})

	spec.Schedule = &v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{{
		PolicyWindow: v1beta1.PolicyWindow{Name: "sale"}, Dates: &v1beta1.DateRange{From: "2026-11-21", Until: "2026-11-22"},
	}}}
	first.Spec.Stage = v1beta1.StageDrain
	o := f.decide()
	if got := o.Holds["first"]; got.Stage != v1beta1.StageCordon || got.AdmittedTime.IsZero() {
		t.Errorf("raised in a freeze: %+v, want Cordon", got)
	}
	if got, want := waitsOf(o, "first"), `policy "all": frozen (sale); opens Mon 00:00 UTC`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	spec.Schedule = nil
	wantEqual(t, "after the freeze", f.admittedHolds(f.decide()), []string{"first", "second"})

	f.Holds[1].DeletionTimestamp = ptr.To(metav1.NewTime(f.Now))
	first.Spec.Stage = v1beta1.StageIdle
	f.decide()
	f.node("w-1").Spec.Taints = nil
	f.Released["w-1"] = true
	first.Status.NodeBefore = nil
	f.decide()
	first.Spec.Stage = v1beta1.StageDrain
	wantEqual(t, "back from Idle", reasonsOf(f.decide(), "first"), []v1beta1.AdmissionReason{v1beta1.AdmissionPaceLimited})

	bypass := f.hold("bypass", "w-2")
	bypass.Spec.BypassPolicies = true
	f.hold("bypass-too", "w-3").Spec.BypassPolicies = true
	o = f.decide()
	wantEqual(t, "with bypasses", f.admittedHolds(o), []string{"bypass", "bypass-too"})
	if !o.Holds["bypass"].Bypassed || o.Policies["all"].Status.InMaintenance != 2 {
		t.Errorf("the bypasses do not count: %+v", o.Policies["all"].Status)
	}
	wantEqual(t, "the other one's reasons", reasonsOf(o, "first"),
		[]v1beta1.AdmissionReason{v1beta1.AdmissionQueued, v1beta1.AdmissionPaceLimited})
	if !slices.Equal(o.Policies["all"].Queue, []types.UID{"first"}) {
		t.Errorf("queue %v", o.Policies["all"].Queue)
	}
}
