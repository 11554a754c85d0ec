// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// askAgain is the time after which a node that waits is asked for again if nothing wakes it. A change of a member wakes
// it at once. OpenShift's budget is not watched.
const askAgain = 10 * time.Second

// Acquire implements drainer.Gate. A node that is cordoned keeps its place, also when other members fail later: its
// drain goes on. So does a node that a hold overrides the quorum for. A node that passed and is not cordoned yet, since
// another gate has it wait, is decided again each time.
func (g *Guard) Acquire(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (drainer.Verdict, error) {
	if kept, err := g.keeps(ctx, node, holds); kept || err != nil {
		return drainer.Verdict{}, err
	}
	objection, err := g.etcd.objection(ctx, node.Name)
	if err != nil {
		return drainer.Verdict{}, err
	}
	message, err := g.take(ctx, node, objection)
	if message == "" || err != nil {
		return drainer.Verdict{}, err
	}
	return drainer.Verdict{Wait: &drainer.Wait{Reason: v1beta1.ReasonControlPlaneQuorum, Message: message}, Again: askAgain}, nil
}

// keeps takes the node if nothing is to be decided: it shows that it is out of service, or the quorum is overridden, or
// it is no member. That one may become a member before its cordon shows. The status of a hold is not believed: it may
// tell of a cordon that was taken back since.
func (g *Guard) keeps(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (bool, error) {
	if controlplane.Member(node) && !takenOut(node, holds) && !overriding(holds) {
		if marked, err := g.markedUnseen(ctx, node); !marked || err != nil {
			return false, err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note(ctx, node, taken)
	return true, nil
}

// take takes the node, or says what it waits for. objection is what etcd has against it, if anything. Nobody
// else is asked meanwhile, so each node that passes is counted before the next is.
func (g *Guard) take(ctx context.Context, node *corev1.Node, objection string) (message string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	nodes, err := g.cluster.Nodes()
	if err != nil {
		return "", fmt.Errorf("could not count the members of the control plane: %w", err)
	}
	others := slices.DeleteFunc(nodes, func(other *corev1.Node) bool { return other.Name == node.Name })
	members := append(outside(others, g.out), Member{Name: node.Name, Out: readiness(node)})
	decision := Decide(node.Name, members)
	switch {
	case !decision.Allowed():
		message = decision.wait()
	case objection != "":
		message = waiting(node.Name, objection, etcdPatience+"; to take it all the same, "+howToOverride)
	default:
		g.note(ctx, node, taken)
		return "", nil
	}
	g.note(ctx, node, waits)
	return message, nil
}

// out says why another member is not in service. Until this process has answered for it, that is also one that an
// earlier process may have let pass, and one that will pass since a hold overrides the quorum.
func (g *Guard) out(node *corev1.Node) string {
	all := g.cluster.HoldsOn(node.Name)
	holds := asking(all)
	switch last := g.answered(node); {
	case last == taken, cordoned(node, holds), last == unknown && (mayHavePassed(node, all) || overriding(holds)):
		return heldBy(holds)
	default:
		return readiness(node)
	}
}

// note notes the answer for a node, unless this process no longer leads.
func (g *Guard) note(ctx context.Context, node *corev1.Node, now answer) {
	if ctx.Err() == nil {
		g.answers[node.Name] = answered{answer: now, node: node.UID}
	}
}

// Holds implements drainer.MemoryGate.
func (g *Guard) Holds(node string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answers[node].answer == taken
}

// Release implements drainer.Gate. Nothing counts for the node any more but its marks, so those that wait are
// asked for again.
func (g *Guard) Release(_ context.Context, name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.answers, name)
	if node, err := g.cluster.Node(name); node != nil && err == nil {
		g.answers[name] = answered{answer: released, node: node.UID}
	}
	g.wakeWaiting()
	return nil
}
