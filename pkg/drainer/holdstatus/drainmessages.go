// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// whatIsLeft is the reason and the message of Drained once the pods that the hold selects have left.
// Whoever reads it may switch the node off next, so it says how many pods are still there.
func (s *statusBuilder) whatIsLeft(skipped int) (reason, message string) {
	node, moved := s.hold.Spec.NodeName, int(s.next.EvictionPods)
	switch {
	case skipped == 0:
		return v1beta1.ReasonNodeEmpty, fmt.Sprintf("nothing that a drain evicts is left on node %s", node)
	case moved == 0:
		return v1beta1.ReasonNoPodSelected, fmt.Sprintf("nothing to evict: %s selects 0 of %s, and %s still on node %s",
			s.selectedBy(), english.Plural(skipped, "pod", ""), english.Plural(skipped, "pod is", "pods are"), node)
	default:
		return v1beta1.ReasonSelectedPodsGone, fmt.Sprintf("%s left node %s; %s still there: %s does not select %s",
			english.Plural(moved, "pod", ""), node, english.Plural(skipped, "other is", "others are"), s.selectedBy(), english.PluralWord(skipped, "it", "them"))
	}
}

// selectedBy is what decides which pods the hold leaves on the node.
func (s *statusBuilder) selectedBy() string {
	if !s.hold.SelectsAll() && len(s.hold.Spec.Drain.Rules) == 0 {
		return "spec.drain.podSelector"
	}
	return "spec.drain"
}

// turnsToCome says which turns wait, and for which pods; nothing when none waits.
func turnsToCome(turns plan.Turns) string {
	waiting := "turn 2 (%[2]s) waits"
	switch {
	case turns.Later == 0:
		return ""
	case turns.Last > 2:
		waiting = "turns 2 to %[1]d (%[2]s) wait"
	}
	return fmt.Sprintf("; "+waiting+" for turn 1: %[3]s", turns.Last, english.Plural(turns.Later, "pod", ""), quote.Names(turns.First, quote.MaxNames))
}
