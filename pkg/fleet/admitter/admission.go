// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Admitted implements drainer.Admission. Nothing is known before the first decision of a term, and of a hold before the
// first decision that knew it as it is.
func (a *Admitter) Admitted(hold *v1beta1.NodeMaintenance) drainer.Admitted {
	t := a.leading.Load()
	if t == nil {
		return drainer.Admitted{}
	}
	t.mu.Lock()
	known := t.known
	t.mu.Unlock()
	if known.idle {
		return t.alone(hold)
	}
	found, decided := known.answers[hold.UID]
	switch {
	case decided && found.holds(hold):
		now := found.admitted
		now.Stage = lower(hold.Spec.Stage, now.Stage)
		return now
	case !hold.DeletionTimestamp.IsZero():
		return own(hold) // it asks for nothing any more
	default:
		return drainer.Admitted{}
	}
}

// alone is the answer for a hold while there are no policies: at most it waits for spec.notBefore.
func (t *term) alone(hold *v1beta1.NodeMaintenance) drainer.Admitted {
	if hold.Spec.NotBefore == nil {
		return own(hold)
	}
	facts := decision.Facts{Now: t.config.Clock.Now(), Holds: []*v1beta1.NodeMaintenance{hold}}
	if node, err := t.config.Cluster.Node(hold.Spec.NodeName); err == nil && node != nil {
		facts.Nodes = []*corev1.Node{node}
	}
	t.addTaken(&facts)
	outcome := t.config.Decide(facts)
	decided, waits := outcome.Holds[hold.UID]
	if !waits {
		return own(hold)
	}
	answer := admitted(hold, decided)
	answer.Again = outcome.Again
	return answer
}

// Planned implements drainer.Admission.
func (a *Admitter) Planned(node string) bool {
	t := a.leading.Load()
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known.planned[node]
}
