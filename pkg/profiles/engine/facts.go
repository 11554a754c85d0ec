// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// subject is what an evaluation is about.
type subject struct {
	profile     *v1beta1.MaintenanceProfile
	nodeProfile *v1beta1.NodeProfile
	node        *corev1.Node
	hold        hold.Seen
}

// evaluate says what the checks of a profile on a node say, with this ledger.
func (t *term) evaluate(about subject, spec *v1beta1.MaintenanceLedgerSpec) (outcome evaluation.Outcome) {
	facts := t.facts(about, spec)
	facts.HoldReached = reached(about.hold)
	facts.Answers, facts.Pods = t.answers.For(about.profile, about.nodeProfile, about.node)
	evaluations.Inc()
	began := t.config.Clock.Now()
	t.cluster.View(func(cluster evaluation.Cluster) {
		facts.Cluster = cluster
		outcome = t.config.Evaluate(facts)
	})
	t.slow.note(about.profile.Name, t.config.Clock.Since(began))
	return outcome
}

// ledgerSays says what a ledger says to a profile on a node.
func (t *term) ledgerSays(spec *v1beta1.MaintenanceLedgerSpec, about subject) (ledger evaluation.Ledger) {
	facts := t.facts(about, spec)
	t.cluster.View(func(cluster evaluation.Cluster) {
		facts.Cluster = cluster
		ledger = t.config.Ledger(facts)
	})
	return ledger
}

func (t *term) facts(about subject, spec *v1beta1.MaintenanceLedgerSpec) evaluation.Facts {
	return evaluation.Facts{
		Now: t.config.Clock.Now(), Profile: about.profile, NodeProfile: about.nodeProfile, Node: about.node,
		Siblings: t.siblings(about.nodeProfile), Ledger: *spec,
	}
}

// reached is how far a hold is. One that ends counts no more.
func reached(seen hold.Seen) v1beta1.MaintenanceStage {
	if seen.Hold == nil || seen.Ending || seen.Reached == "" {
		return v1beta1.StageIdle
	}
	return seen.Reached
}
