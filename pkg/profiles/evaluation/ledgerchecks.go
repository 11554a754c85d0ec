// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxInMaintenance asks how many nodes are in maintenance, as the ledger says.
type maxInMaintenance struct{ *v1beta1.MaxInMaintenanceCheck }

func (c maxInMaintenance) needs() Needs { return Needs{Ledger: true, Labels: c.GroupBy} }

func (c maxInMaintenance) ask(q question) CheckResult {
	if len(c.GroupBy) > 0 && q.Node == nil {
		return noNode(q)
	}
	group := c.group(q)
	nodes, ends := c.counted(q, group)
	answer := is(len(nodes) < int(c.Max), "%d of %s%s in maintenance%s",
		len(nodes), count(int(c.Max), "node"), c.which(group), among(nodes))
	answer.Again = roomAt(ends, len(nodes), int(c.Max))
	return answer.with("current", len(nodes)).with("max", c.Max)
}

// label is a label that nodes must have in common.
type label struct{ key, value string }

// group are the labels that the check groups by, as this node has them. One that it does not have, or has empty, is left
// out.
func (c maxInMaintenance) group(q question) []label {
	var group []label
	for _, key := range c.GroupBy {
		if value := q.Node.Labels[key]; value != "" {
			group = append(group, label{key, value})
		}
	}
	return group
}

// which says which nodes count, with a space before.
func (c maxInMaintenance) which(group []label) string {
	var which strings.Builder
	if c.Profile != "" {
		which.WriteString(" with profile " + c.Profile)
	}
	for _, l := range group {
		which.WriteString(" of " + l.key + " " + quoted(l.value))
	}
	return which.String()
}

// counted returns the nodes that count, and when those that stop to count do.
func (c maxInMaintenance) counted(q question, group []label) (nodes []string, ends []time.Time) {
	for _, entry := range q.Ledger.InMaintenance {
		end := c.end(entry)
		if q.isOwnGrant(entry) || !end.IsZero() && !q.Now.Before(end) || !c.carries(q, entry) || !inGroup(q, entry.Node, group) {
			continue
		}
		nodes = append(nodes, entry.Node)
		if !end.IsZero() {
			ends = append(ends, end)
		}
	}
	return nodes, ends
}

// end is the time when a node counts no more; zero: not by time alone.
func (c maxInMaintenance) end(entry v1beta1.LedgerProfile) time.Time {
	if c.SkipAfterSeconds == nil {
		return time.Time{}
	}
	return entry.Since.Add(seconds(*c.SkipAfterSeconds))
}

// isOwnGrant says whether an entry is that of the transition that is asked about: it was granted, and the grant is asked
// about again, before the state has changed. A node does not stand in its own way.
func (f *Facts) isOwnGrant(entry v1beta1.LedgerProfile) bool {
	return f.isOwn(entry.Node, entry.Profile, entry.Sequence)
}

// isOwn says whether something in the ledger was granted to this profile on this node in the state that it is in.
func (f *Facts) isOwn(node, profile string, sequence int64) bool {
	return node == f.nodeName() && profile == f.Profile.Name && sequence == f.NodeProfile.Status.Sequence
}

// carries says whether the profile that the check is about is on a node.
func (c maxInMaintenance) carries(q question, entry v1beta1.LedgerProfile) bool {
	if c.Profile == "" || entry.Profile == q.Profile.Name && c.Profile == q.Profile.AliasOrName() {
		return true
	}
	return q.Cluster.Carries(entry.Node, c.Profile)
}

// inGroup says whether a node has all labels of a group. A node that is gone may have been in each.
func inGroup(q question, node string, group []label) bool {
	labels, exists := q.Cluster.Labels(node)
	return !exists || !slices.ContainsFunc(group, func(l label) bool { return labels[l.key] != l.value })
}

// roomAt returns when so many have ended that fewer than most are left; zero if that is so now, or never by time alone.
// It sorts ends.
func roomAt(ends []time.Time, now, most int) time.Time {
	left := now - most
	if left < 0 || left >= len(ends) {
		return time.Time{}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[left]
}

// seconds is a duration of the API.
func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// stagger asks whether a pool has a place that is free.
type stagger struct{ *v1beta1.StaggerCheck }

func (c stagger) needs() Needs { return Needs{Ledger: true} }

func (c stagger) ask(q question) CheckResult {
	places := int(ptr.Deref(c.Parallel, v1beta1.DefaultStaggerParallel))
	nodes, ends := c.taken(q)
	again := roomAt(ends, len(ends), places)
	answer := is(len(ends) < places, "pool %s has %d of %s taken%s", c.Pool, len(ends), count(places, "place"), among(nodes))
	if !again.IsZero() {
		answer.Message = sentence("%s until %s", answer.Message, moment(again))
	}
	answer.Again = again
	return answer.with("taken", len(ends)).with("parallel", places)
}

// taken returns who has the places that are taken, and until when. Each is taken for as long as the check said that took
// it.
func (c stagger) taken(q question) (nodes []string, ends []time.Time) {
	for _, grant := range poolOf(&q.Ledger, c.Pool).Grants {
		end := grant.Time.Add(seconds(grant.Seconds))
		if q.isNext(grant) || !q.Now.Before(end) {
			continue
		}
		nodes, ends = append(nodes, grant.Node), append(ends, end)
	}
	return nodes, ends
}

func poolOf(ledger *v1beta1.MaintenanceLedgerSpec, name string) v1beta1.LedgerPool {
	for _, pool := range ledger.Pools {
		if pool.Name == name {
			return pool
		}
	}
	return v1beta1.LedgerPool{}
}

// isNext says whether a place was taken for the attempt that is asked about, which was not recorded yet. The place of an
// attempt that was given up stays taken.
func (f *Facts) isNext(grant v1beta1.LedgerGrant) bool {
	return f.isOwn(grant.Node, grant.Profile, grant.Sequence) && grant.Attempt > f.NodeProfile.Status.Attempt
}
