// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// kills is how often the server is killed.
	kills = 6
	// longestLife is how long it runs then at most. It needs a second to start, so some are killed before they serve.
	longestLife = 4 * time.Second
	// nextGrant is how long a grant is waited for.
	nextGrant = 5 * time.Second
)

var seed = flag.Uint64("seed", 0, "what decides when the server is killed; 0 for another one each time")

// turns does everything that may not be done twice, with two nodes at a time.
const turns = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: room, maxInMaintenance: {max: 2, profile: POOL-turns}}
- {name: apart, stagger: {pool: POOL, seconds: 1, parallel: 2}}
triggers:
- {name: mark, patchNode: {labels: {marked: "yes"}}}
- {name: drain, hold: {stage: Drain}}
- {name: reboot, job: {namespace: POOL, cronJob: reboot}}
- {name: call, webhook: {endpoint: POOL-call}}
- {name: settle, patchNode: {removeLabels: [needed, marked]}}
notifiers:
- {name: tell, webhook: {endpoint: POOL-tell}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: room && apart, triggers: [mark], next: InMaintenance}]
  inMaintenance:
    enter: [drain, reboot, call]
    notify: [tell]
    transitions: [{name: done, check: needed, triggers: [settle], next: Operational}]
`

// The server is killed at random moments, and right after it has granted maintenance, while nodes take turns. Never are
// more in maintenance than may be, each comes through, and nothing is done twice.
func (o *own) killedAgainAndAgain(t *testing.T) {
	const limit = 2
	p := o.newPool(t, 6)
	acts, calls := p.prepareTurns(t)
	p.WantMostCordoned(t, limit)
	ledger := p.countLedger(t, p.inMaintenance)
	for _, node := range p.Nodes {
		p.label(t, node, "needed=yes")
	}
	profile := p.profile(t, "turns", turns)
	o.killOften(t, ledger)
	for _, node := range p.Nodes {
		through := p.wait(t, profile, node, node+" comes through", func(s *v1beta1.NodeProfileStatus) bool {
			return s.State == v1beta1.ProfileOperational && s.Transition == nil && s.Hold == nil && len(s.History) > 2
		})
		if got, want := steps(through), "required Done, start Done, done Done"; got != want {
			t.Errorf("%s: the history is %s, want %s", node, got, want)
		}
	}
	p.WaitUntilClean(t)
	ledger.wantMost(t, "in maintenance", limit)
	acts.wantOnce(t, p.Nodes, "cordoned", "marked")
	calls.wantOnce(t, len(p.Nodes))
	p.wantJobs(t, len(p.Nodes))
	p.WantEvictedOnce(t, nil)
}

// prepareTurns makes what the profile needs besides nodes, and follows what is done.
func (p *pool) prepareTurns(t *testing.T) (*nodeActs, *calls) {
	t.Helper()
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 6, p.Selector()))
	p.rebootJobs(t)
	return p.followNodes(t), p.answerCalls(t)
}

// killOften kills the server again and again, and leaves one that serves.
func (o *own) killOften(t *testing.T, ledger *ledgerCount) {
	t.Helper()
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat this with -args -seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range kills {
		if i%2 == 0 {
			ledger.awaitRise(t)
		} else {
			time.Sleep(time.Duration(random.Int64N(int64(longestLife))))
		}
		o.kill(t)
		o.launch(t)
	}
	if err := o.Server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}

// awaitRise waits until the ledger has more than before, or for a while.
func (c *ledgerCount) awaitRise(t *testing.T) {
	t.Helper()
	select {
	case <-c.rises: // of before
	default:
	}
	timer := time.NewTimer(nextGrant)
	defer timer.Stop()
	select {
	case <-c.rises:
		t.Log("it is killed right after a grant")
	case <-timer.C:
	}
}

// steps are the transitions of the history, and what came of each.
func steps(nodeProfile *v1beta1.NodeProfile) string {
	var all []string
	for _, ended := range nodeProfile.Status.History {
		all = append(all, fmt.Sprintf("%s %s", ended.Name, ended.Result))
	}
	return strings.Join(all, ", ")
}
