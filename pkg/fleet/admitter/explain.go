// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

var errPoliciesUnknown = errors.New("the policies are not known yet")

// Facts returns what decisions are made from, as every process knows it, to explain them. The answers of gates are
// taken from the statuses of the holds, and nothing is known of pods. Without policies there is no request, and else one
// a second at most. The caller does not change them. It fails while the caches are not synced, and when our own server does not answer.
func (a *Admitter) Facts(ctx context.Context) (facts decision.Facts, err error) {
	if !a.policies.HasSynced() {
		return decision.Facts{}, errPoliciesUnknown
	}
	facts = decision.Facts{Now: a.config.Clock.Now(), Policies: a.Policies()}
	if len(facts.Policies) > 0 {
		if facts.Ledger, err = a.explained.spec(ctx); err != nil {
			return decision.Facts{}, err
		}
	}
	if facts.Nodes, err = a.config.Cluster.Nodes(); err != nil {
		return decision.Facts{}, err
	}
	if facts.Holds, err = a.config.Cluster.Holds(); err != nil {
		return decision.Facts{}, err
	}
	facts.Started = answersTold(facts.Holds)
	a.addTaken(&facts)
	return facts, nil
}

// answersTold are the answers of start gates that the statuses of holds tell of.
func answersTold(holds []*v1beta1.NodeMaintenance) map[decision.GateKey]decision.GateAnswer {
	told := map[decision.GateKey]decision.GateAnswer{}
	for _, hold := range holds {
		if hold.Status.Admission == nil {
			continue
		}
		for _, wait := range hold.Status.Admission.WaitingFor {
			if wait.Reason == v1beta1.AdmissionGateFailed || wait.Reason == v1beta1.AdmissionPlanBlocked {
				told[decision.GateKey{Hold: hold.UID, Policy: wait.Policy}] = decision.GateAnswer{Reason: wait.Reason, Message: wait.Message}
			}
		}
	}
	return told
}
