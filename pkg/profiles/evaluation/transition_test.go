// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// letters are checks whose results a test sets: a, b and c, answered by others.
func letters(s *scene) {
	for _, name := range []string{"a", "b", "c"} {
		s.Profile.Spec.Checks = append(s.Profile.Spec.Checks, v1beta1.ProfileCheck{Name: name, HTTP: &v1beta1.HTTPCheck{}})
	}
	s.Answers = map[string]evaluation.Answer{}
}

// say sets the results of letters: a=True b=Error.
func say(results string) change {
	return func(s *scene) {
		for pair := range strings.FieldsSeq(results) {
			name, result, _ := strings.Cut(pair, "=")
			s.Answers[name] = evaluation.Answer{Result: evaluation.Result(result), Message: "says " + name}
		}
	}
}

// check adds a check of the profile.
func check(name string, c v1beta1.ProfileCheck) change {
	return func(s *scene) {
		c.Name = name
		s.Profile.Spec.Checks = append(s.Profile.Spec.Checks, c)
	}
}

// way adds a transition out of the state: start>InMaintenance: a && b.
func way(text string) change {
	return func(s *scene) {
		head, chain, _ := strings.Cut(text, ": ")
		name, next, _ := strings.Cut(head, ">")
		from := &s.Profile.Spec.States.MaintenanceRequired
		switch s.NodeProfile.Status.State {
		case v1beta1.ProfileOperational:
			from = &s.Profile.Spec.States.Operational
		case v1beta1.ProfileInMaintenance:
			from = &s.Profile.Spec.States.InMaintenance
		}
		from.Transitions = append(from.Transitions, v1beta1.ProfileTransition{
			Name: name, Check: chain, Next: v1beta1.ProfileState(next),
		})
	}
}

func held(stage, reached v1beta1.MaintenanceStage) change {
	return func(s *scene) {
		s.HoldReached = reached
		s.Profile.Spec.States.InMaintenance.Hold = &v1beta1.ProfileHold{Stage: stage}
	}
}

func veto(transition string, until *metav1.Time) change {
	return decided(v1beta1.RecordedDecision{
		Decision: v1beta1.ProfileVeto, By: "bob", Reason: "release", Transition: transition, ExpirationTime: until,
	})
}

func push(transition, usedBy string) change {
	return decided(v1beta1.RecordedDecision{
		Decision: v1beta1.ProfilePush, By: "eve", Reason: "now", Transition: transition, UsedBy: usedBy,
	})
}

// told is what an outcome says: who wins, what is waited for, and which answers are wanted.
func told(o evaluation.Outcome) string {
	var text strings.Builder
	if o.Winner >= 0 {
		fmt.Fprintf(&text, "takes %s", o.Transitions[o.Winner].Name)
	}
	if o.PushedBy != nil {
		fmt.Fprintf(&text, ", pushed by %s", o.PushedBy.By)
	}
	if len(o.ApprovedBy) > 0 {
		fmt.Fprintf(&text, ", approved by %s", strings.Join(o.ApprovedBy, " and "))
	}
	if o.Waiting != "" {
		fmt.Fprintf(&text, "waits: %s", o.Waiting)
	}
	if len(o.Wants) > 0 {
		fmt.Fprintf(&text, " [wants %s]", strings.Join(o.Wants, " "))
	}
	if !o.Again.IsZero() {
		fmt.Fprintf(&text, " | %s", o.Again.UTC().Format(time.RFC3339))
	}
	return text.String()
}

func evaluate(t *testing.T, changes ...change) evaluation.Outcome {
	t.Helper()
	return evaluation.Evaluate(newScene(t, append([]change{letters}, changes...)...).facts(t))
}

func TestTransitions(t *testing.T) {
	const start, back = "start>InMaintenance: ", "back>Operational: "
	inMaintenance := in(v1beta1.ProfileInMaintenance)
	approved := func(transition string) change {
		return decided(v1beta1.RecordedDecision{Decision: v1beta1.ProfileApprove, By: "alice", Transition: transition})
	}
	approval := check("ok", v1beta1.ProfileCheck{Approval: &v1beta1.ApprovalCheck{}})
	label := check("k", v1beta1.ProfileCheck{NodeLabel: &v1beta1.KeyValueCheck{Key: "k"}})
	nobody := check("broken", v1beta1.ProfileCheck{})
	soon := expires("2026-11-22T12:10:00Z")
	pods := func(room int32) change {
		return check("pods", v1beta1.ProfileCheck{PodAffinity: &v1beta1.PodAffinityCheck{MinOperational: room}})
	}
	for name, tc := range map[string]struct {
		changes []change
		want    string
	}{
		"none":                                  {nil, ""},
		"passes":                                {[]change{way(start + "a"), say("a=True")}, "takes start [wants a]"},
		"does not pass":                         {[]change{way(start + "a"), say("a=False")}, "waits: a: says a [wants a]"},
		"the first one wins":                    {[]change{way(start + "a"), way(back + "b"), say("a=True b=True")}, "takes start [wants a]"},
		"the second one wins":                   {[]change{way(start + "a"), way(back + "b"), say("a=False b=True")}, "takes back [wants a b]"},
		"those that lead on are said":           {[]change{way(back + "b"), way(start + "a"), say("a=False b=False")}, "waits: a: says a [wants a b]"},
		"several that lead on":                  {[]change{way(start + "a"), way("again>InMaintenance: b"), say("a=False b=False")}, "waits: a: says a; or b: says b [wants a b]"},
		"none leads on":                         {[]change{way(back + "b"), say("b=False")}, "waits: b: says b [wants b]"},
		"an operational node waits for nothing": {[]change{in(v1beta1.ProfileOperational), way("need>MaintenanceRequired: a"), say("a=False")}, " [wants a]"},
		"but says what is broken":               {[]change{in(v1beta1.ProfileOperational), way("need>MaintenanceRequired: a"), say("a=Error")}, "waits: a: says a [wants a]"},

		// The former controller took no transition if any check of any of them ended in an error.
		"an error blocks its own transition alone": {[]change{way(start + "a"), way(back + "b"), say("a=Error b=True")}, "takes back [wants a b]"},
		"an error that does not matter":            {[]change{way(start + "a || b"), say("a=True b=Error")}, "takes start [wants a b]"},
		"an error that matters":                    {[]change{way(start + "a && b"), say("a=True b=Error")}, "waits: b: says b [wants a b]"},
		"a False overrules an error":               {[]change{way(start + "a && b"), say("a=False b=Error")}, "waits: a: says a [wants a b]"},
		"a chain of a newer version":               {[]change{way(start + "a ?? b"), way(back + "b"), say("b=True")}, "takes back [wants b]"},

		"answers that do not matter are not asked for": {[]change{label, way(start + "k && a && b")}, "waits: k: label k is not set"},
		"nor are those of an || that is decided":       {[]change{label, labelled(map[string]string{"k": ""}), way(start + "(k || a) && b")}, "waits: b: there is no answer yet [wants b]"},
		"an answer that is known still matters":        {[]change{way(start + "a && b"), say("a=False b=False")}, "waits: a: says a [wants a b]"},
		"beside an error, it may matter":               {[]change{nobody, way(start + "broken || a"), say("a=False")}, "waits: broken: the check cannot be applied: it is of a kind that this server does not know [wants a]"},
		"after a winner, none matters":                 {[]change{label, labelled(map[string]string{"k": ""}), way(start + "k"), way(back + "a")}, "takes start"},

		"pods matter in MaintenanceRequired":  {[]change{pods(0), way(start + "pods")}, "waits: pods: the pods of the node are not known yet [wants pods]"},
		"pods do not matter if there is room": {[]change{pods(1), carries("w-2", "p", v1beta1.ProfileOperational), way(start + "pods")}, "takes start"},
		"pods do not matter in other states":  {[]change{pods(0), inMaintenance, way(back + "pods")}, "waits: pods: the check is only for the state MaintenanceRequired, and the state is InMaintenance"},
		"approved":                            {[]change{approval, way(start + "ok"), approved("")}, "takes start, approved by alice"},
		"approved for it alone":               {[]change{approval, way(start + "ok"), way(back + "ok"), approved("back")}, "takes back, approved by alice"},
		"an approval that is missing, too":    {[]change{approval, way(start + "a && ok"), say("a=False")}, "waits: ok: 0 of 1 approval; a: says a"},
		"an approval that would be enough":    {[]change{approval, way(start + "a || ok"), say("a=False")}, "waits: ok: 0 of 1 approval; a: says a [wants a]"},
		"an approval that is not needed":      {[]change{approval, way(start + "ok || a"), say("a=True")}, "takes start [wants a]"},

		"vetoed":                             {[]change{way(start + "a"), say("a=True"), veto("", nil)}, "waits: vetoed by bob: release"},
		"vetoed for a while":                 {[]change{way(start + "a"), say("a=True"), veto("start", soon)}, "waits: vetoed by bob until 2026-11-22T12:10:00Z: release | 2026-11-22T12:10:00Z"},
		"a veto of another one":              {[]change{way(start + "a"), say("a=True"), veto("back", nil)}, "takes start [wants a]"},
		"a veto that has expired":            {[]change{way(start + "a"), say("a=True"), veto("start", expires("2026-11-22T12:00:00Z"))}, "takes start [wants a]"},
		"veto beats approve":                 {[]change{approval, way(start + "ok"), veto("", nil), approved("")}, "waits: vetoed by bob: release"},
		"the longer veto counts":             {[]change{way(start + "a"), say("a=True"), veto("", nil), veto("start", soon)}, "waits: vetoed by bob: release"},
		"after a veto, answers matter again": {[]change{way(start + "a"), veto("start", soon)}, "waits: vetoed by bob until 2026-11-22T12:10:00Z: release; a: there is no answer yet | 2026-11-22T12:10:00Z"},
		"a vetoed one lets the next":         {[]change{way(start + "a"), way(back + "b"), say("a=True b=True"), veto("start", nil)}, "takes back [wants b]"},

		"pushed":                      {[]change{way(start + "a"), say("a=False"), push("start", "")}, "takes start, pushed by eve"},
		"pushed past a first one":     {[]change{way(start + "a"), way(back + "b"), say("a=True"), push("back", "")}, "takes back, pushed by eve"},
		"a push that was used":        {[]change{way(start + "a"), say("a=False"), push("start", "uid/3.1")}, "waits: a: says a [wants a]"},
		"a push names its transition": {[]change{way(start + "a"), say("a=False"), push("", "")}, "waits: a: says a [wants a]"},
		"veto beats push":             {[]change{way(start + "a"), say("a=False"), push("start", ""), veto("", nil)}, "waits: pushed by eve, but vetoed by bob: release"},
		"a push of an earlier state":  {[]change{way(start + "a"), say("a=False"), decided(v1beta1.RecordedDecision{Decision: v1beta1.ProfilePush, By: "eve", Transition: "start", Sequence: 2})}, "waits: a: says a [wants a]"},
		"a check that must not pass":  {[]change{way(start + "b && !a"), say("a=True b=True")}, "waits: !a: says a [wants a b]"},

		"another profile has the node":     {[]change{way(start + "a"), say("a=True"), inLedger("w-1", "q", "2026-11-22T11:00:00Z")}, "waits: profile q is in maintenance on this node"},
		"a push does not help":             {[]change{way(start + "a"), say("a=False"), push("start", ""), inLedger("w-1", "q", "2026-11-22T11:00:00Z")}, "waits: pushed by eve, but profile q is in maintenance on this node"},
		"it may go back":                   {[]change{way(back + "a"), say("a=True"), inLedger("w-1", "q", "2026-11-22T11:00:00Z")}, "takes back [wants a]"},
		"another profile has another node": {[]change{way(start + "a"), say("a=True"), inLedger("w-2", "q", "2026-11-22T11:00:00Z")}, "takes start [wants a]"},
		"the own grant is in nobody's way": {[]change{way(start + "a"), say("a=True"), ownGrant}, "takes start [wants a]"},
		"a profile that was adopted has the node": {
			[]change{way(start + "a"), say("a=True"), func(s *scene) {
				s.Siblings = []*v1beta1.NodeProfile{onNode("w-1", "q", v1beta1.ProfileInMaintenance)}
			}}, "waits: profile q is in maintenance on this node",
		},

		"the hold is not reached":  {[]change{inMaintenance, held("", v1beta1.StageCordon), way(back + "a"), say("a=True")}, "waits: the hold has reached Cordon, and must reach Drain before the state can be left"},
		"the hold is not there":    {[]change{inMaintenance, held(v1beta1.StageCordon, ""), way(back + "a"), say("a=True")}, "waits: the hold has reached Idle, and must reach Cordon before the state can be left"},
		"the hold is reached":      {[]change{inMaintenance, held(v1beta1.StageDrain, v1beta1.StageDrain), way(back + "a"), say("a=True")}, "takes back [wants a]"},
		"the hold is further":      {[]change{inMaintenance, held(v1beta1.StageCordon, v1beta1.StageDrain), way(back + "a"), say("a=True")}, "takes back [wants a]"},
		"a push waits for no hold": {[]change{inMaintenance, held("", v1beta1.StageCordon), way(back + "a"), push("back", "")}, "takes back, pushed by eve"},

		"a state of a newer version": {[]change{in("Resting"), way(start + "a")}, ""},
		"no status yet":              {[]change{in(v1beta1.ProfileOperational), way("need>MaintenanceRequired: a"), say("a=True"), in("")}, "takes need [wants a]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(evaluate(t, tc.changes...)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestStaggerIsDecisiveOnlyIfNeeded shows when a place of a pool is spent. The former controller took one for each
// transition that named a stagger, also next to an || that had passed already.
func TestStaggerIsDecisiveOnlyIfNeeded(t *testing.T) {
	pool := check("s", v1beta1.ProfileCheck{Stagger: &v1beta1.StaggerCheck{Pool: "p", Seconds: 60}})
	for name, tc := range map[string]struct {
		chain string
		want  []string
	}{
		"needed":                {"a && s", []string{"a", "s"}},
		"not needed":            {"a || s", []string{"a"}},
		"not needed, but first": {"s || a", []string{"a"}},
		"needed within an or":   {"b || a && s", []string{"a", "s"}},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := evaluate(t, pool, way("start>InMaintenance: "+tc.chain), say("a=True b=False"))
			got := slices.Sorted(slices.Values(outcome.Transitions[0].Decisive))
			if diff := cmp.Diff(tc.want, got); diff != "" || outcome.Winner != 0 {
				t.Errorf("winner %d, decisive (-want +got):\n%s", outcome.Winner, diff)
			}
		})
	}
}

// TestSameNextDifferentTransitions shows that two transitions to the same state are told apart. The former controller ran
// the triggers of the first one for both.
func TestSameNextDifferentTransitions(t *testing.T) {
	outcome := evaluate(t, way("slow>InMaintenance: a"), way("fast>InMaintenance: b"), say("a=False b=True"))
	if got := told(outcome); got != "takes fast [wants a b]" {
		t.Error(got)
	}
}

// TestChecksOfAnOutcome shows which checks are listed: those that transitions out of the state name, in the order of the
// profile, and of an approval the transition that is not approved.
func TestChecksOfAnOutcome(t *testing.T) {
	outcome := evaluate(t, check("ok", v1beta1.ProfileCheck{Approval: &v1beta1.ApprovalCheck{}}),
		way("start>InMaintenance: ok && c && a"), way("back>Operational: ok"), say("a=True c=True"),
		decided(v1beta1.RecordedDecision{Decision: v1beta1.ProfileApprove, By: "alice", Transition: "start"}))
	var got []string
	for _, c := range outcome.Checks {
		got = append(got, fmt.Sprintf("%s %s: %s", c.Name, c.Result, c.Message))
	}
	want := []string{"a True: says a", "c True: says c", "ok False: 0 of 1 approval"}
	if diff := cmp.Diff(want, got); diff != "" || outcome.Winner != 0 {
		t.Errorf("winner %d, checks (-want +got):\n%s", outcome.Winner, diff)
	}
}

// TestCacheCompilesAnew shows that a cache follows changes of a profile.
func TestCacheCompilesAnew(t *testing.T) {
	var cache evaluation.Cache
	facts := newScene(t, letters, way("start>InMaintenance: a"), say("a=True b=False")).facts(t)
	facts.Profile.Generation = 1
	if got := told(cache.Evaluate(facts)); got != "takes start [wants a]" {
		t.Error(got)
	}
	next := facts.Profile.DeepCopy()
	next.Generation = 2
	next.Spec.States.MaintenanceRequired.Transitions[0].Check = "b"
	facts.Profile = next
	if got := told(cache.Evaluate(facts)); got != "waits: b: says b [wants b]" {
		t.Error(got)
	}
	cache.Forget("p")
	if got := told(cache.Evaluate(facts)); got != "waits: b: says b [wants b]" {
		t.Error(got)
	}
}
