// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"fmt"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// maxMembersNamed is how many members that are out a message names. The rest are counted.
	maxMembersNamed = 8
	// howToOverride says what helps when waiting does not.
	howToOverride = "set spec.overrideQuorum, which requires the verb overridequorum on nodes/maintenance"
	// notReady is what is said of a member whose kubelet does not report that it is ready.
	notReady = "not ready"
	// inMaintenance is what is said of a member that somebody took out of service whose hold is not known.
	inMaintenance = "in maintenance"
)

// numbers says how many members there are and must be, and which are out for what reason.
func (d Decision) numbers() string {
	said := fmt.Sprintf("%d of %d members must stay in service, and without it %d would", d.Needed, d.Members, d.Left)
	if len(d.Out) == 0 {
		return said
	}
	var out []string
	for _, m := range d.Out[:min(len(d.Out), maxMembersNamed)] {
		out = append(out, m.Name+", "+m.Out)
	}
	if more := len(d.Out) - maxMembersNamed; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return said + " (out: " + strings.Join(out, "; ") + ")"
}

// refusal says why a hold is not created, and what to do.
func (d Decision) refusal() string {
	return refused(d.Node, d.numbers(), d.advice("try again when more members are in service"))
}

// wait says what the node waits for.
func (d Decision) wait() string {
	return waiting(d.Node, d.numbers(), d.advice("it is taken as soon as enough members are in service"))
}

func (d Decision) advice(patience string) string {
	if !d.spare() {
		return "waiting does not help; to take it all the same, " + howToOverride
	}
	return patience + "; to take it all the same, " + howToOverride
}

// overridden warns of what is not heeded.
func (d Decision) overridden() string {
	return fmt.Sprintf("control plane: spec.overrideQuorum takes node %s out of service whatever follows: %s", d.Node, d.numbers())
}

func refused(node, why, advice string) string {
	return fmt.Sprintf("control plane: node %s cannot go into maintenance now: %s; %s", node, why, advice)
}

func waiting(node, why, advice string) string {
	return fmt.Sprintf("control plane: node %s waits: %s; %s", node, why, advice)
}

// heldBy says of a member whose holds have it.
func heldBy(holds []*v1beta1.NodeMaintenance) string {
	if len(holds) == 0 {
		return inMaintenance
	}
	var holders []string
	for _, h := range holds {
		holders = append(holders, fmt.Sprintf("%q of %q", h.Name, h.Spec.Requestor))
	}
	return "held by " + quote.Names(holders, quote.MaxNames)
}
