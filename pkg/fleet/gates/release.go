// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

const (
	// releaseLasts is how old an answer may be that lets a node be given back: it is asked again before that, even if
	// it takes as long as it may.
	releaseLasts = askInterval + 2*findTimeout
	// untilKnown is after how long a node is looked at again while nothing is known of the ledger.
	untilKnown = time.Second
	// unsaidFor is for how long nobody is told that nothing is known of the ledger: that is so at each change of the
	// leader, for a moment.
	unsaidFor = 30 * time.Second
	// defaultReleaseTimeout is releaseTimeoutSeconds if it is not set.
	defaultReleaseTimeout = 1800
	// skipBySpec is how to give back a node whose release gates do not pass.
	skipBySpec = "to give the node back as it is, set spec.bypassPolicies and spec.reason"
	// skipByOwnHold is how to do so if only ScheduledEvents hold it: these bypass policies for the start alone.
	skipByOwnHold = "to give the node back as it is, create a NodeMaintenance of your own for it, with spec.bypassPolicies and spec.reason, and delete that"
)

var _ drainer.Keeper = (*Gates)(nil)

// keeping is what is known of a node that release gates keep.
type keeping struct {
	// since is since when.
	since time.Time
	// message is what it was said to wait for.
	message string
}

// Acquire implements drainer.Gate. The node is wanted, so that nobody asks for its release. Without holds it is not: the
// drainer only has what is held for it kept, and the time of its release goes on.
func (g *Gates) Acquire(_ context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (drainer.Verdict, error) {
	if len(holds) == 0 {
		return drainer.Verdict{}, nil
	}
	entry, _ := g.config.Admitter.Entry(node.Name)
	g.keepNoMore(node.Name, entry)
	return drainer.Verdict{}, nil
}

// keepNoMore lets the node go, and has the ledger not say any more that it is kept: this process, or one before it, may
// have kept it.
func (g *Gates) keepNoMore(node string, entry *v1beta1.LedgerEntry) (wasKept bool) {
	wasKept = g.letGo(node)
	if wasKept || (entry != nil && entry.ReleaseTime != nil) {
		g.config.Admitter.KeepsBack(node, false)
	}
	return wasKept
}

// Release implements drainer.Gate: nothing is asked for the node any more.
func (g *Gates) Release(_ context.Context, node string) error {
	g.letGo(node)
	return nil
}

// Holds implements drainer.MemoryGate.
func (g *Gates) Holds(node string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, kept := g.kept[node]
	return kept
}

// letGo forgets the node, and says whether it was kept.
func (g *Gates) letGo(node string) (wasKept bool) {
	g.mu.Lock()
	_, wasKept = g.kept[node]
	delete(g.kept, node)
	g.mu.Unlock()
	if wasKept {
		g.asker.want(asking{node: node}, nil, releaseLasts)
	}
	return wasKept
}

// MayGiveBack implements drainer.Keeper: the release gates must pass of all policies that select the node now, or that
// it was admitted under. It answers at once, from memory, and wakes the node when an answer changes.
func (g *Gates) MayGiveBack(ctx context.Context, node *corev1.Node) (drainer.Verdict, error) {
	entry, known := g.config.Admitter.Entry(node.Name)
	if entry != nil && entry.NodeUID != node.UID {
		entry = nil // it is about a former node of that name
	}
	if g.skips(node) {
		g.pass(ctx, node, entry)
		return drainer.Verdict{}, nil
	}
	if !known {
		return g.keepUnknown(ctx, node), nil
	}
	all := g.config.Admitter.Policies()
	if policy := unread(all, entry, node); policy != nil {
		return g.keepUnread(ctx, node, policy), nil
	}
	policies := releasing(all, entry, node)
	if len(policies) == 0 {
		g.pass(ctx, node, entry)
		return drainer.Verdict{}, nil
	}
	since, isNew := g.keptHere(node.Name)
	lasts := releaseLasts
	if isNew {
		lasts = 0 // what was found before, for a start, says nothing of the node after its maintenance
	}
	g.asker.want(asking{node: node.Name}, releaseQuestions(policies, node), lasts)
	by, judged := g.judgeRelease(policies, node, since)
	if judged.state == passes {
		g.pass(ctx, node, entry)
		return drainer.Verdict{}, nil
	}
	return g.keep(ctx, node, entry, by, judged), nil
}

// skips says whether no gate counts for the node, whatever the ledger says: there are no policies, nobody holds it, so that
// nobody could be told or could skip them, or who took it out of service skips them.
func (g *Gates) skips(node *corev1.Node) bool {
	holds := g.config.Cluster.HoldsOn(node.Name)
	return g.config.Admitter.WithoutPolicies() || len(holds) == 0 || bypassed(holds, node)
}

// keepUnknown keeps a node while it is not known whose gates are to pass.
func (g *Gates) keepUnknown(ctx context.Context, node *corev1.Node) drainer.Verdict {
	wait := &drainer.Wait{Reason: v1beta1.ReasonReleaseGate}
	if since, _ := g.keptHere(node.Name); g.config.Clock.Since(since) >= unsaidFor {
		wait.Message = fmt.Sprintf("waits until the server knows which release gates node %s must pass: it cannot read or write the "+
			"MaintenanceLedger, and its log says why; %s", node.Name, g.howToSkip(node))
		g.log(ctx, node.Name, wait.Message)
	}
	return drainer.Verdict{Wait: wait, Again: untilKnown}
}

// unread returns the first policy that cannot be read, and may have release gates that the node must pass.
func unread(policies []*v1beta1.MaintenancePolicy, entry *v1beta1.LedgerEntry, node *corev1.Node) *v1beta1.MaintenancePolicy {
	for _, policy := range policies {
		if v1beta1.WhyUnreadable(policy) != "" && (admittedUnder(entry, policy.Name) || selects(policy, node)) {
			return policy
		}
	}
	return nil
}

// keepUnread keeps a node while it is not known which gates of a policy it is to pass.
func (g *Gates) keepUnread(ctx context.Context, node *corev1.Node, policy *v1beta1.MaintenancePolicy) drainer.Verdict {
	g.keptHere(node.Name)
	g.config.Admitter.KeepsBack(node.Name, true)
	wait := &drainer.Wait{Reason: v1beta1.ReasonReleaseGate, Message: fmt.Sprintf(
		"policy %q: what is stored of it cannot be read, so it is not known which release gates node %s must pass: %s; %s",
		policy.Name, node.Name, v1beta1.WhyUnreadable(policy), g.howToSkip(node))}
	g.log(ctx, node.Name, wait.Message)
	return drainer.Verdict{Wait: wait, Again: askInterval}
}

// releasing returns the policies whose release gates the node must pass.
func releasing(policies []*v1beta1.MaintenancePolicy, entry *v1beta1.LedgerEntry, node *corev1.Node) []*v1beta1.MaintenancePolicy {
	return slices.DeleteFunc(slices.Clone(policies), func(policy *v1beta1.MaintenancePolicy) bool {
		return policy.Spec.Gates == nil || len(policy.Spec.Gates.Release) == 0 || (!admittedUnder(entry, policy.Name) && !selects(policy, node))
	})
}

func admittedUnder(entry *v1beta1.LedgerEntry, policy string) bool {
	return entry != nil && slices.ContainsFunc(entry.Policies, func(p v1beta1.LedgerPolicy) bool { return p.Name == policy })
}

func selects(policy *v1beta1.MaintenancePolicy, node *corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(policy.Spec.NodeSelector)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}

// bypassed says whether a hold that took the node out of service is to skip the gates. That of a ScheduledEvent skips
// none: it bypasses policies only so that the drain starts in time, and the machine that comes back may be broken.
func bypassed(holds []*v1beta1.NodeMaintenance, node *corev1.Node) bool {
	return slices.ContainsFunc(holds, func(hold *v1beta1.NodeMaintenance) bool {
		return hold.Spec.BypassPolicies && !ofEvent(hold) && hold.Status.NodeBefore != nil && hold.Status.NodeUID == node.UID
	})
}

func ofEvent(hold *v1beta1.NodeMaintenance) bool {
	return strings.HasPrefix(hold.Spec.Requestor, v1beta1.EventRequestor)
}

// howToSkip says how to give back the node although its gates do not pass.
func (g *Gates) howToSkip(node *corev1.Node) string {
	if slices.ContainsFunc(g.config.Cluster.HoldsOn(node.Name), func(hold *v1beta1.NodeMaintenance) bool { return !ofEvent(hold) }) {
		return skipBySpec
	}
	return skipByOwnHold
}

func releaseQuestions(policies []*v1beta1.MaintenancePolicy, node *corev1.Node) []question {
	var questions []question
	for _, policy := range policies {
		questions = append(questions, questionsOf(policy.Spec.Gates.Release, subject{policy: policy.Name, node: node})...)
	}
	return questions
}

// judgeRelease judges the gates of all policies by what was found since then. It returns the first policy that has the
// node wait.
func (g *Gates) judgeRelease(policies []*v1beta1.MaintenancePolicy, node *corev1.Node, since time.Time) (by *v1beta1.MaintenancePolicy, all judgement) {
	all = judgement{state: passes}
	for _, policy := range policies {
		judged := g.judgeAll(policy.Spec.Gates.Release, subject{policy: policy.Name, node: node, lasts: releaseLasts, after: since})
		again := due.Sooner(all.again, judged.again)
		if all.state != fails && judged.state != passes {
			by, all = policy, judged
		}
		all.again = again
	}
	return by, all
}

// pass lets the node be given back.
func (g *Gates) pass(ctx context.Context, node *corev1.Node, entry *v1beta1.LedgerEntry) {
	if g.keepNoMore(node.Name, entry) {
		klog.FromContext(ctx).Info("Release gates keep the node no more", "node", node.Name)
	}
}

// keep keeps the node, and says why. What is not known yet is not said.
func (g *Gates) keep(ctx context.Context, node *corev1.Node, entry *v1beta1.LedgerEntry, by *v1beta1.MaintenancePolicy, judged judgement) drainer.Verdict {
	g.config.Admitter.KeepsBack(node.Name, true)
	left := g.left(g.keptSince(node.Name, entry), by)
	wait := &drainer.Wait{Reason: v1beta1.ReasonReleaseGate}
	if judged.state == fails {
		policy := fmt.Sprintf("policy %q: ", by.Name)
		wait.About, wait.Message = policy+judged.about, policy+judged.message
		if left <= 0 {
			wait.Reason, left = v1beta1.ReasonReleaseTimedOut, 0
			wait.Message += fmt.Sprintf("; that takes longer than %s, so node %s stays cordoned: it is given back when the gate passes; %s", releaseTimeout(by), node.Name, g.howToSkip(node))
		}
		g.log(ctx, node.Name, wait.Message)
	}
	return drainer.Verdict{Wait: wait, Again: due.Sooner(due.Sooner(askInterval, judged.again), max(left, 0))}
}

// left is how much is left of the policy's time for its release gates.
func (g *Gates) left(since time.Time, policy *v1beta1.MaintenancePolicy) time.Duration {
	return releaseTimeout(policy) - max(g.config.Clock.Since(since), 0)
}

func releaseTimeout(policy *v1beta1.MaintenancePolicy) time.Duration {
	return time.Duration(ptr.Deref(policy.Spec.Gates.ReleaseTimeoutSeconds, defaultReleaseTimeout)) * time.Second
}

// keptHere is since when this process keeps the node, and whether that is news.
func (g *Gates) keptHere(node string) (since time.Time, isNew bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept, known := g.kept[node]
	if !known {
		kept.since = g.config.Clock.Now()
		g.kept[node] = kept
	}
	return kept.since, !known
}

// keptSince is since when release gates keep the node: as the ledger says, so that a restart does not change it.
func (g *Gates) keptSince(node string, entry *v1beta1.LedgerEntry) time.Time {
	if entry != nil && entry.ReleaseTime != nil {
		return entry.ReleaseTime.Time
	}
	since, _ := g.keptHere(node)
	return since
}

// log logs what the node waits for, once for each change.
func (g *Gates) log(ctx context.Context, node, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if kept := g.kept[node]; kept.message != message {
		kept.message = message
		g.kept[node] = kept
		klog.FromContext(ctx).Info("Release gates keep the node", "node", node, "message", message)
	}
}
