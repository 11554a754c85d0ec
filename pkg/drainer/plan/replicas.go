// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// replicasAgain is how soon to look at the replicas of this server again while one of them is to go: nothing tells
// when another is ready no more, or when it is late enough in the term of the leader.
const replicasAgain = 5 * time.Second

// order has the pods that run this server be decided after all others, and that of this process last.
func (p *planner) order() []int {
	rank := func(i int) int {
		switch pod := p.Pods[i]; {
		case p.Replicas.IsThisProcess(pod):
			return 2
		case p.Replicas.Runs(pod):
			return 1
		default:
			return 0
		}
	}
	indexes := make([]int, len(p.Pods))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortStableFunc(indexes, func(a, b int) int { return rank(a) - rank(b) })
	return indexes
}

// stayingReplicas are the replicas that serve, without those that leave this node already.
func stayingReplicas(in Input) sets.Set[types.UID] {
	staying := sets.New[types.UID]()
	for _, replica := range in.Replicas.Replicas {
		if replica.Stays() {
			staying.Insert(replica.UID)
		}
	}
	for uid, tried := range in.Attempts {
		if !tried.Evicted.IsZero() {
			staying.Delete(uid)
		}
	}
	return staying
}

// keep has a pod that runs this server stay while other pods are to leave the node, while no other replica is
// ready that stays, and while that is not sure, early in the term of a leader. What another pod may count on is less
// by each replica that goes.
func (p *planner) keep(going *Pod) {
	if !removes(going.Action) {
		return
	}
	alone := len(p.staying.Difference(sets.New(going.Pod.UID))) == 0
	going.due = going.due && !p.othersLeave
	going.kept = p.othersLeave || alone || p.Replicas.Early
	if alone || p.Replicas.Early {
		going.Blocker = p.ownPodBlocker(going.Pod, alone)
	}
	if going.Blocker != nil && p.othersLeave && !going.Blocker.Permanent {
		going.Blocker = nil // its turn has not come, and by then another may be ready
	}
	if !p.othersLeave {
		p.awaitsReplica = p.awaitsReplica || alone
		p.recheckAt(p.Now.Add(replicasAgain))
	}
}

// leaves notes that a replica goes now, so that no other pod counts on it.
func (p *planner) leaves(going Pod) {
	if going.wanted() && p.Replicas.Runs(going.Pod) {
		p.staying.Delete(going.Pod.UID)
	}
}

// AwaitsReplica says whether all that keeps a pod that runs this server is that no other one is ready.
func (p Plan) AwaitsReplica() bool { return p.awaitsReplica }

// Replicas are those of the evictions that are of pods that run this server.
func (p Plan) Replicas() []types.UID {
	var going []types.UID
	for _, pod := range p.Pods {
		if pod.own && pod.wanted() {
			going = append(going, pod.Pod.UID)
		}
	}
	return going
}

// ownPodBlocker says why the pod has to stay: no other replica of this server would go on, or that is not sure.
func (p *planner) ownPodBlocker(pod *corev1.Pod, alone bool) *v1beta1.DrainBlocker {
	others := slices.DeleteFunc(slices.Clone(p.Replicas.Replicas), func(r replicas.Replica) bool { return r.UID == pod.UID })
	blocker := &v1beta1.DrainBlocker{Pod: key(pod), Reason: v1beta1.BlockerOwnPod}
	const runs = "this pod runs the server that drains the node"
	switch {
	case !alone:
		blocker.Message = runs + ", and the leader has just changed: it is evicted 40 seconds after that at the earliest, since the " +
			"other replicas may have been lost with the last leader"
	case p.Replicas.Failure != "":
		blocker.Message = fmt.Sprintf("%s, and it is not known whether another replica is ready: %s", runs, p.Replicas.Failure)
	case len(others) == 0:
		blocker.Permanent = true
		blocker.Message = fmt.Sprintf("%s, and there is no other replica to go on: %s, or delete the pod", runs, p.wayToAnother())
	default:
		blocker.Message = fmt.Sprintf("%s, and no other replica is ready to go on: %s: it is evicted as soon as one is", runs, states(others))
	}
	return blocker
}

// wayToAnother says how to get another replica.
func (p *planner) wayToAnother() string {
	if p.Replicas.Controller() == "" {
		return "start one"
	}
	return fmt.Sprintf("raise spec.replicas of %s", p.Replicas.Controller())
}

// states says of each replica why it does not count. One that is ready leaves in this plan.
func states(others []replicas.Replica) string {
	said := make([]string, 0, len(others))
	for _, replica := range others {
		state := "not ready"
		if replica.Leaving || replica.Ready {
			state = "leaving"
		}
		said = append(said, fmt.Sprintf("%s is %s", replica.Pod.Name, state))
	}
	if len(said) > quote.MaxNames {
		said = append(said[:quote.MaxNames], fmt.Sprintf("and %d more", len(said)-quote.MaxNames))
	}
	return strings.Join(said, ", ")
}
