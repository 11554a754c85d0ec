// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

var now = time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)

func entry(node, profile string) v1beta1.LedgerProfile {
	return v1beta1.LedgerProfile{Node: node, Profile: profile, Sequence: 2, Attempt: 1}
}

// taken is a place of an attempt that was taken some seconds ago, for 60 seconds.
func taken(node string, attempt int64, ago time.Duration) v1beta1.LedgerGrant {
	return v1beta1.LedgerGrant{
		Node: node, Profile: "flatcar", Sequence: 2, Attempt: attempt, Time: metav1.NewMicroTime(now.Add(-ago)), Seconds: 60,
	}
}

// said is what a ledger has, in short.
func said(spec *v1beta1.MaintenanceLedgerSpec) (has []string) {
	for _, e := range spec.InMaintenance {
		has = append(has, e.Node+"."+e.Profile)
	}
	for _, pool := range spec.Pools {
		for _, g := range pool.Grants {
			has = append(has, fmt.Sprintf("%s: %s %d since %s", pool.Name, g.Node, g.Attempt, now.Sub(g.Time.Time)))
		}
	}
	return has
}

// A grant is entered as a whole, or not at all.
func TestTake(t *testing.T) {
	grant := Grant{Node: "w-2", NodeUID: "uid", Profile: "flatcar", Sequence: 2, Attempt: 1}
	pool := []*v1beta1.StaggerCheck{{Pool: "p", Seconds: 60}}
	full := v1beta1.MaintenanceLedgerSpec{}
	for i := range v1beta1.MaxInMaintenance {
		add(&full, entry(fmt.Sprintf("n-%04d", i), "flatcar"))
	}
	for name, test := range map[string]struct {
		before v1beta1.MaintenanceLedgerSpec
		need   Need
		wantNo bool
		want   []string
	}{
		"nothing is needed": {},
		"maintenance, in order": {
			before: v1beta1.MaintenanceLedgerSpec{InMaintenance: []v1beta1.LedgerProfile{entry("w-1", "esx"), entry("w-3", "esx")}},
			need:   Need{Maintenance: true}, want: []string{"w-1.esx", "w-2.flatcar", "w-3.esx"},
		},
		"another profile is there": {
			before: v1beta1.MaintenanceLedgerSpec{InMaintenance: []v1beta1.LedgerProfile{entry("w-2", "esx")}},
			need:   Need{Maintenance: true, Pools: pool}, wantNo: true, want: []string{"w-2.esx"},
		},
		"another profile is there, and does not matter": {
			before: v1beta1.MaintenanceLedgerSpec{InMaintenance: []v1beta1.LedgerProfile{entry("w-2", "esx")}},
			need:   Need{Pools: pool}, want: []string{"w-2.esx", "p: w-2 1 since 0s"},
		},
		"the ledger is full": {before: full, need: Need{Maintenance: true}, wantNo: true, want: said(&full)},
		"both": {
			need: Need{Maintenance: true, Pools: pool}, want: []string{"w-2.flatcar", "p: w-2 1 since 0s"},
		},
		"places whose time is over go": {
			before: v1beta1.MaintenanceLedgerSpec{Pools: []v1beta1.LedgerPool{{
				Name: "p", Grants: []v1beta1.LedgerGrant{taken("w-1", 1, time.Minute), taken("w-3", 1, 59*time.Second)},
			}}},
			need: Need{Pools: pool}, want: []string{"p: w-3 1 since 59s", "p: w-2 1 since 0s"},
		},
		"the same attempt takes no second place": {
			before: v1beta1.MaintenanceLedgerSpec{Pools: []v1beta1.LedgerPool{{
				Name: "p", Grants: []v1beta1.LedgerGrant{taken("w-2", 1, time.Second)},
			}}},
			need: Need{Pools: pool}, want: []string{"p: w-2 1 since 0s"},
		},
		"an earlier attempt keeps its place": {
			before: v1beta1.MaintenanceLedgerSpec{Pools: []v1beta1.LedgerPool{{
				Name: "p", Grants: []v1beta1.LedgerGrant{taken("w-2", 0, time.Second)},
			}}},
			need: Need{Pools: pool}, want: []string{"p: w-2 0 since 1s", "p: w-2 1 since 0s"},
		},
		"pools, in order": {
			before: v1beta1.MaintenanceLedgerSpec{Pools: []v1beta1.LedgerPool{{Name: "q", Grants: []v1beta1.LedgerGrant{taken("w-1", 1, 0)}}}},
			need:   Need{Pools: pool}, want: []string{"p: w-2 1 since 0s", "q: w-1 1 since 0s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := test.before.DeepCopy()
			if got := Take(spec, grant, test.need, now); got == test.wantNo {
				t.Errorf("taken %t", got)
			}
			if diff := cmp.Diff(test.want, said(spec)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// A transition needs the pools of the checks that were decisive, and a person who pushes takes none.
func TestNeedOf(t *testing.T) {
	profile := &v1beta1.MaintenanceProfile{Spec: v1beta1.MaintenanceProfileSpec{Checks: []v1beta1.ProfileCheck{
		{Name: "a", Stagger: &v1beta1.StaggerCheck{Pool: "p"}},
		{Name: "b", Stagger: &v1beta1.StaggerCheck{Pool: "q"}},
		{Name: "c", NodeCount: &v1beta1.NodeCountCheck{}},
	}}}
	for name, test := range map[string]struct {
		next     v1beta1.ProfileState
		decisive []string
		pushed   bool
		wantIn   bool
		want     []string
	}{
		"nothing":     {next: v1beta1.ProfileOperational, decisive: []string{"c"}},
		"maintenance": {next: v1beta1.ProfileInMaintenance, decisive: []string{"c"}, wantIn: true},
		"a pool":      {next: v1beta1.ProfileMaintenanceRequired, decisive: []string{"b", "c"}, want: []string{"q"}},
		"two pools":   {next: v1beta1.ProfileInMaintenance, decisive: []string{"b", "a"}, wantIn: true, want: []string{"p", "q"}},
		"pushed":      {next: v1beta1.ProfileInMaintenance, decisive: []string{"a"}, pushed: true, wantIn: true},
	} {
		t.Run(name, func(t *testing.T) {
			need := NeedOf(profile, evaluation.TransitionResult{Next: test.next, Decisive: test.decisive}, test.pushed)
			var pools []string
			for _, check := range need.Pools {
				pools = append(pools, check.Pool)
			}
			if need.Maintenance != test.wantIn || !slices.Equal(pools, test.want) || need.Any() != (test.wantIn || len(test.want) > 0) {
				t.Errorf("got %t and %v, any %t, want %t and %v", need.Maintenance, pools, need.Any(), test.wantIn, test.want)
			}
		})
	}
}

func nodeProfile(state v1beta1.ProfileState, transition *v1beta1.RecordedTransition) *v1beta1.NodeProfile {
	since := metav1.NewTime(now.Add(-time.Hour))
	return &v1beta1.NodeProfile{
		Spec: v1beta1.NodeProfileSpec{NodeName: "w-1", Profile: "flatcar"},
		Status: v1beta1.NodeProfileStatus{
			State: state, Sequence: 3, Attempt: 2, Since: &since, NodeUID: "uid", Transition: transition,
		},
	}
}

// Who is in maintenance, is about to be, or may go back there needs the entry of the node.
func TestNeeds(t *testing.T) {
	const triggers, enter = v1beta1.PhaseTriggers, v1beta1.PhaseEnter
	const operational, required, maintained = v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance
	for name, test := range map[string]struct {
		state      v1beta1.ProfileState
		phase      v1beta1.TransitionPhase // empty: no transition
		from, next v1beta1.ProfileState
		want       bool
	}{
		"operational":            {state: operational},
		"required":               {state: required},
		"in maintenance":         {state: maintained, want: true},
		"about to be":            {state: required, phase: triggers, from: required, next: maintained, want: true},
		"about to be required":   {state: operational, phase: triggers, from: operational, next: required},
		"it enters":              {state: maintained, phase: enter, from: required, next: maintained, want: true},
		"about to leave":         {state: maintained, phase: triggers, from: maintained, next: operational, want: true},
		"it has left, enters":    {state: operational, phase: enter, from: maintained, next: operational, want: true},
		"it was required":        {state: operational, phase: enter, from: required, next: operational},
		"it has become required": {state: required, phase: enter, from: operational, next: required},
	} {
		t.Run(name, func(t *testing.T) {
			np := nodeProfile(test.state, nil)
			if test.phase != "" {
				np.Status.Transition = &v1beta1.RecordedTransition{Phase: test.phase, From: test.from, Next: test.next}
			}
			if got := Needs(np, entry("w-1", "flatcar")); got != test.want {
				t.Errorf("needs it %t, want %t", got, test.want)
			}
			if Needs(np, entry("w-1", "esx")) || Needs(np, entry("w-2", "flatcar")) || Needs(nil, entry("w-1", "flatcar")) {
				t.Error("it needs what is not its own")
			}
		})
	}
}

// An attempt was not recorded if the status is still before it.
func TestUnrecorded(t *testing.T) {
	for name, test := range map[string]struct {
		np                *v1beta1.NodeProfile
		sequence, attempt int64
		want              bool
	}{
		"the next attempt":     {nodeProfile("", nil), 3, 3, true},
		"this attempt":         {nodeProfile("", nil), 3, 2, false},
		"of an earlier state":  {nodeProfile("", nil), 2, 3, false},
		"no NodeProfile is it": {nil, 3, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Unrecorded(test.np, test.sequence, test.attempt); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// Who is in maintenance and lacks an entry gets one, unless another profile has the node.
func TestAdopt(t *testing.T) {
	for name, test := range map[string]struct {
		before       []v1beta1.LedgerProfile
		np           *v1beta1.NodeProfile
		want         []string
		wantSequence int64
		wantSince    time.Time
	}{
		"in maintenance": {
			np: nodeProfile(v1beta1.ProfileInMaintenance, nil), want: []string{"w-1.flatcar"}, wantSequence: 2, wantSince: now.Add(-time.Hour),
		},
		"about to be": {
			np: nodeProfile(v1beta1.ProfileMaintenanceRequired, &v1beta1.RecordedTransition{
				Phase: v1beta1.PhaseTriggers, Next: v1beta1.ProfileInMaintenance,
			}),
			want: []string{"w-1.flatcar"}, wantSequence: 3, wantSince: now,
		},
		"not in maintenance": {np: nodeProfile(v1beta1.ProfileOperational, nil)},
		"another one is": {
			before: []v1beta1.LedgerProfile{entry("w-1", "esx")}, np: nodeProfile(v1beta1.ProfileInMaintenance, nil), want: []string{"w-1.esx"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1beta1.MaintenanceLedgerSpec{InMaintenance: test.before}
			adopted := Adopt(spec, test.np, now)
			if diff := cmp.Diff(test.want, said(spec)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if adopted != (test.wantSequence > 0) {
				t.Errorf("adopted %t", adopted)
			}
			if got := Entry(spec, "w-1"); adopted && (got.Sequence != test.wantSequence || !got.Since.Time.Equal(test.wantSince)) {
				t.Errorf("got %+v, want sequence %d since %v", got, test.wantSequence, test.wantSince)
			}
		})
	}
}

// What nobody needs is taken out, and nothing else.
func TestTakesOut(t *testing.T) {
	before := v1beta1.MaintenanceLedgerSpec{
		InMaintenance: []v1beta1.LedgerProfile{entry("w-1", "flatcar"), entry("w-2", "esx")},
		Pools: []v1beta1.LedgerPool{
			{Name: "p", Grants: []v1beta1.LedgerGrant{taken("w-1", 1, time.Minute)}},
			{Name: "q", Grants: []v1beta1.LedgerGrant{taken("w-1", 1, time.Second), taken("w-1", 2, time.Second), taken("w-2", 1, time.Second)}},
		},
	}
	for name, test := range map[string]struct {
		takeOut func(*v1beta1.MaintenanceLedgerSpec)
		want    []string
	}{
		"an entry": {
			func(s *v1beta1.MaintenanceLedgerSpec) { Remove(s, "w-1") },
			[]string{"w-2.esx", "p: w-1 1 since 1m0s", "q: w-1 1 since 1s", "q: w-1 2 since 1s", "q: w-2 1 since 1s"},
		},
		"places of an attempt": {
			func(s *v1beta1.MaintenanceLedgerSpec) {
				GiveBack(s, Grant{Node: "w-1", Profile: "flatcar", Sequence: 2, Attempt: 1})
			},
			[]string{"w-1.flatcar", "w-2.esx", "q: w-1 2 since 1s", "q: w-2 1 since 1s"},
		},
		"those of another profile stay": {
			func(s *v1beta1.MaintenanceLedgerSpec) {
				GiveBack(s, Grant{Node: "w-2", Profile: "esx", Sequence: 2, Attempt: 1})
			},
			[]string{"w-1.flatcar", "w-2.esx", "p: w-1 1 since 1m0s", "q: w-1 1 since 1s", "q: w-1 2 since 1s", "q: w-2 1 since 1s"},
		},
		"places whose time is over": {
			func(s *v1beta1.MaintenanceLedgerSpec) { Tidy(s, now) },
			[]string{"w-1.flatcar", "w-2.esx", "q: w-1 1 since 1s", "q: w-1 2 since 1s", "q: w-2 1 since 1s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := before.DeepCopy()
			test.takeOut(spec)
			if diff := cmp.Diff(test.want, said(spec)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
	empty := v1beta1.MaintenanceLedgerSpec{InMaintenance: []v1beta1.LedgerProfile{}, Pools: []v1beta1.LedgerPool{{Name: "p"}}}
	if Tidy(&empty, now); empty.InMaintenance != nil || empty.Pools != nil {
		t.Errorf("got %+v, want it as it is stored", empty)
	}
}

// Candidates are served by priority, then by how long they wait, then as their node names the profiles, then by name.
func TestCompare(t *testing.T) {
	later := now.Add(time.Second)
	want := []Candidate{
		{Key: "z", Priority: 1, Since: later, Place: 3},
		{Key: "y", Since: now, Place: 2},
		{Key: "w", Since: later},
		{Key: "v", Since: later, Place: 1},
		{Key: "x", Since: later, Place: 1},
		{Key: "a", Priority: -1, Since: now},
	}
	for turn := range want {
		got := append(slices.Clone(want[turn:]), want[:turn]...)
		slices.SortFunc(got, Compare)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	}
}
