// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// oracle counts as the design says, slowly.
type oracle struct {
	Facts
	before, after v1beta1.MaintenanceLedgerSpec
}

// check checks what is promised of a write of the ledger.
func (m *model) check(w write) {
	o := oracle{Facts: w.facts, before: w.facts.Ledger, after: w.outcome.Ledger}
	m.fails(o.overLimit(), w)
	m.fails(o.revoked(), w)
	m.fails(o.endedEarly(), w)
	m.fails(o.withoutConsent(), w)
	m.fails(o.withoutReason(w.outcome), w)
	m.fails(o.queues(w.outcome), w)
	again := w.facts
	again.Ledger = w.outcome.Ledger
	second := m.decider.Decide(again)
	if !reflect.DeepEqual(second.Ledger, w.outcome.Ledger) {
		m.fails(fmt.Sprintf("deciding again changes the ledger from %+v to %+v", w.outcome.Ledger, second.Ledger), w)
	}
	for uid, answer := range w.outcome.Holds {
		if second.Holds[uid].Stage != answer.Stage {
			m.fails(fmt.Sprintf("deciding again changes the stage of %s", uid), w)
		}
	}
}

func (m *model) fails(broken string, w write) {
	if broken == "" {
		return
	}
	m.t.Fatalf("model run of seed %d: %s\nrepeat: go test ./pkg/fleet/decision -run 'TestModel$' -model.seed=%d\nbefore: %+v\nafter: %+v",
		m.seed, broken, m.seed, w.facts.Ledger, w.outcome.Ledger)
}

func find(ledger v1beta1.MaintenanceLedgerSpec, e v1beta1.LedgerEntry) *v1beta1.LedgerEntry {
	for i := range ledger.Entries {
		if ledger.Entries[i].Node == e.Node && ledger.Entries[i].NodeUID == e.NodeUID {
			return &ledger.Entries[i]
		}
	}
	return nil
}

func (o oracle) nodeOf(e v1beta1.LedgerEntry) *corev1.Node {
	for _, n := range o.Nodes {
		if n.Name == e.Node && n.UID == e.NodeUID {
			return n
		}
	}
	return nil
}

func (o oracle) holdOf(uid types.UID) *v1beta1.NodeMaintenance {
	for _, h := range o.Holds {
		if h.UID == uid && h.DeletionTimestamp == nil {
			return h
		}
	}
	return nil
}

// started are the entries that began with this write, and asked for room.
func (o oracle) started() []v1beta1.LedgerEntry {
	var started []v1beta1.LedgerEntry
	for _, e := range o.after.Entries {
		had := find(o.before, e)
		if e.GivenBackTime != nil || (had != nil && had.GivenBackTime == nil) || o.free(e) {
			continue
		}
		started = append(started, e)
	}
	return started
}

// free says that the entry did not ask: a hold bypasses the policies, or has the node already.
func (o oracle) free(e v1beta1.LedgerEntry) bool {
	n := o.nodeOf(e)
	return slices.ContainsFunc(e.Holds, func(had v1beta1.LedgerHold) bool {
		h := o.holdOf(had.UID)
		return h == nil || h.Spec.BypassPolicies || (h.Status.NodeUID == n.UID && h.Status.NodeBefore != nil && marked(n))
	})
}

// overLimit finds a start beyond a limit.
func (o oracle) overLimit() string {
	for _, e := range o.started() {
		for _, p := range o.Policies {
			if n := o.nodeOf(e); couldSelect(p, n) {
				if broken := o.policyOver(p, n); broken != "" {
					return fmt.Sprintf("node %s started, policy %s: %s", n.Name, p.Name, broken)
				}
			}
		}
	}
	return ""
}

func (o oracle) policyOver(p *v1beta1.MaintenancePolicy, started *corev1.Node) string {
	var selected []*corev1.Node
	for _, n := range o.Nodes {
		if couldSelect(p, n) {
			selected = append(selected, n)
		}
	}
	counted, out := map[string]bool{}, map[string]bool{}
	for _, n := range selected {
		ready, _ := readiness(n)
		if !joining(n, o.Now) && (!ready || n.Spec.Unschedulable || n.DeletionTimestamp != nil) {
			out[n.Name] = true
		}
	}
	for _, e := range o.after.Entries {
		if o.countsFor(p, e) {
			counted[e.Node] = true
			if e.GivenBackTime == nil {
				out[e.Node] = true
			}
		}
	}
	over := ""
	if l := p.Spec.Limits.MaxConcurrent; l != nil {
		if n, err := Resolve(*l, selected, o.Now); err == nil && len(counted) > n && !o.soaked(p, started) {
			over = fmt.Sprintf("%d of %d in maintenance", len(counted), n)
		}
	}
	ready, _ := readiness(started)
	if l := p.Spec.Limits.MaxUnavailable; l != nil && (ready || joining(started, o.Now)) {
		if n, err := Resolve(*l, selected, o.Now); err == nil && len(out) > n {
			over = fmt.Sprintf("%d of %d unavailable", len(out), n)
		}
	}
	if broken := o.domainsOver(p, started, selected); broken != "" {
		over = broken
	}
	return over + o.paceOver(p)
}

// soaked says that the node counted already before it started again.
func (o oracle) soaked(p *v1beta1.MaintenancePolicy, n *corev1.Node) bool {
	had := find(o.before, v1beta1.LedgerEntry{Node: n.Name, NodeUID: n.UID})
	return had != nil && o.countsFor(p, *had)
}

func (o oracle) countsFor(p *v1beta1.MaintenancePolicy, e v1beta1.LedgerEntry) bool {
	n := o.nodeOf(e)
	selected := n != nil && couldSelect(p, n)
	recorded := slices.ContainsFunc(e.Policies, func(had v1beta1.LedgerPolicy) bool { return had.Name == p.Name })
	if !selected && !recorded {
		return false
	}
	if e.GivenBackTime == nil {
		return true
	}
	if p.Spec.Pace == nil || p.Spec.Pace.SoakSeconds == 0 {
		return false
	}
	if n == nil {
		return true
	}
	ready, since := readiness(n)
	if since.Before(e.GivenBackTime.Time) {
		since = e.GivenBackTime.Time
	}
	return !ready || o.Now.Sub(since) < time.Duration(p.Spec.Pace.SoakSeconds)*time.Second
}

func (o oracle) domainsOver(p *v1beta1.MaintenancePolicy, started *corev1.Node, selected []*corev1.Node) string {
	for _, t := range p.Spec.Limits.Topology {
		in := map[string]map[string]bool{}
		add := func(domain, node string) {
			if in[domain] == nil {
				in[domain] = map[string]bool{}
			}
			in[domain][node] = true
		}
		for _, e := range o.after.Entries {
			if !o.countsFor(p, e) {
				continue
			}
			if n := o.nodeOf(e); n != nil && couldSelect(p, n) {
				add(n.Labels[t.Key], e.Node)
			}
			for _, had := range e.Policies {
				for _, domain := range had.Domains {
					if had.Name == p.Name && domain.Key == t.Key {
						add(domain.Value, e.Node)
					}
				}
			}
		}
		domain := started.Labels[t.Key]
		same := slices.DeleteFunc(slices.Clone(selected), func(n *corev1.Node) bool { return n.Labels[t.Key] != domain })
		if t.MaxConcurrent != nil && !o.soaked(p, started) {
			if n, err := Resolve(*t.MaxConcurrent, same, o.Now); err == nil && len(in[domain]) > n {
				return fmt.Sprintf("%d of %d in domain %q", len(in[domain]), n, domain)
			}
		}
		if t.MaxDomains != nil && len(in) > int(*t.MaxDomains) && len(in[domain]) == 1 && !o.soaked(p, started) {
			return fmt.Sprintf("%d of %d domains", len(in), *t.MaxDomains)
		}
	}
	return ""
}

func (o oracle) paceOver(p *v1beta1.MaintenancePolicy) string {
	if p.Spec.Pace == nil || p.Spec.Pace.MaxStarts == nil {
		return ""
	}
	starts := 0
	for _, s := range o.after.Starts {
		if s.Policy == p.Name && o.Now.Sub(s.Time.Time) < time.Duration(*p.Spec.Pace.PerSeconds)*time.Second {
			starts++
		}
	}
	if starts > int(*p.Spec.Pace.MaxStarts) {
		return fmt.Sprintf("%d of %d starts", starts, *p.Spec.Pace.MaxStarts)
	}
	return ""
}

// revoked finds an admission that was taken away although its hold still asks for it.
func (o oracle) revoked() string {
	for _, e := range o.before.Entries {
		if o.nodeOf(e) == nil {
			continue
		}
		for _, had := range e.Holds {
			h := o.holdOf(had.UID)
			if h == nil || h.Spec.Stage == v1beta1.StageIdle {
				continue
			}
			after, kept := find(o.after, e), lower(had.Stage, wanted(h))
			if after == nil || !slices.ContainsFunc(after.Holds, func(l v1beta1.LedgerHold) bool {
				return l.UID == had.UID && stageRank(l.Stage) >= stageRank(kept)
			}) {
				return fmt.Sprintf("the admission of %s was revoked", h.Name)
			}
		}
	}
	return ""
}

// endedEarly finds an entry that left the ledger, or was given back, without facts.
func (o oracle) endedEarly() string {
	for _, e := range o.before.Entries {
		after := find(o.after, e)
		switch {
		case after == nil && !o.Released[e.Node] && (e.GivenBackTime == nil || o.soaks(e)):
			return fmt.Sprintf("the entry of %s ended", e.Node)
		case after != nil && after.GivenBackTime != nil && e.GivenBackTime == nil && !o.Released[e.Node]:
			return fmt.Sprintf("%s counts as given back", e.Node)
		}
	}
	return ""
}

func (o oracle) soaks(e v1beta1.LedgerEntry) bool {
	return slices.ContainsFunc(o.Policies, func(p *v1beta1.MaintenancePolicy) bool { return o.countsFor(p, e) })
}

// withoutConsent finds a hold that was admitted although a policy did not agree.
func (o oracle) withoutConsent() string {
	for _, e := range o.after.Entries {
		for _, had := range e.Holds {
			h, n := o.holdOf(had.UID), o.nodeOf(e)
			before := find(o.before, e)
			if h == nil || n == nil || h.Spec.BypassPolicies || (h.Status.NodeUID == n.UID && h.Status.NodeBefore != nil) {
				continue
			}
			if before != nil && slices.ContainsFunc(before.Holds, func(l v1beta1.LedgerHold) bool { return l.UID == had.UID }) {
				continue
			}
			if h.Spec.NotBefore != nil && o.Now.Before(h.Spec.NotBefore.Time) {
				return h.Name + " started before its notBefore"
			}
			for _, p := range o.Policies {
				if couldSelect(p, n) && !o.agrees(p, h, n) {
					return fmt.Sprintf("policy %s does not agree to %s", p.Name, h.Name)
				}
			}
		}
	}
	return ""
}

func (o oracle) agrees(p *v1beta1.MaintenancePolicy, h *v1beta1.NodeMaintenance, n *corev1.Node) bool {
	if _, err := Selects(p, n); err != nil || p.Spec.Paused || !o.approved(p, h, n) {
		return false
	}
	if p.Spec.Gates != nil && len(p.Spec.Gates.Start) > 0 && !o.Started[GateKey{Hold: h.UID, Policy: p.Name}].Passed {
		return false
	}
	if s := p.Spec.Schedule; s != nil && (o.Now.UTC().Hour()%2 == 1) != (s.Windows[0].Cron == oddHours) {
		return false
	}
	return !slices.ContainsFunc(o.after.Stops, func(s v1beta1.LedgerStop) bool { return s.Policy == p.Name })
}

func (o oracle) approved(p *v1beta1.MaintenancePolicy, h *v1beta1.NodeMaintenance, n *corev1.Node) bool {
	if p.Spec.Approvals == nil {
		return true
	}
	if h.Status.Admission == nil {
		return false
	}
	last := map[string]v1beta1.MaintenanceDecision{}
	for _, d := range h.Status.Admission.Approvals {
		if d.Policy == p.Name && d.NodeUID == n.UID {
			last[d.By] = d
		}
	}
	approved := false
	for by, d := range last {
		if d.Decision == v1beta1.DecisionDenied {
			return false
		}
		approved = approved || (d.Generation == h.Generation && by != h.Spec.Requestor && o.Now.Sub(d.Time.Time) < time.Hour)
	}
	return approved
}

// withoutReason finds a hold that waits and does not say for what, or that says so and does not wait.
func (o oracle) withoutReason(out Outcome) string {
	for _, h := range o.Holds {
		answer, told := out.Holds[h.UID]
		if !told || h.DeletionTimestamp != nil {
			continue
		}
		waits := stageRank(answer.Stage) < stageRank(wanted(h))
		if waits != (len(answer.Waits) > 0) {
			return fmt.Sprintf("%s: stage %s of %s, waits %v", h.Name, answer.Stage, wanted(h), answer.Waits)
		}
	}
	return ""
}

// queues finds a queue that is not a permutation of the holds that wait.
func (o oracle) queues(out Outcome) string {
	for _, p := range o.Policies {
		var want []types.UID
		for _, h := range o.Holds {
			i := slices.IndexFunc(o.Nodes, func(n *corev1.Node) bool { return n.Name == h.Spec.NodeName })
			if i >= 0 && couldSelect(p, o.Nodes[i]) && len(out.Holds[h.UID].Waits) > 0 {
				want = append(want, h.UID)
			}
		}
		got := slices.Sorted(slices.Values(out.Policies[p.Name].Queue))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Sprintf("the queue of %s is %v, and these wait: %v", p.Name, got, want)
		}
	}
	return ""
}
