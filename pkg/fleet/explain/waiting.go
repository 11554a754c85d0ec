// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Waiting has, for each node with a hold that waits, what becomes of its holds: one forecast each. The answer is as things
// were a second ago at most, and the ledger two seconds ago. The caller does not change it.
func (e *Explainer) Waiting(ctx context.Context) (map[string][]v1beta1.AdmissionForecast, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if age := e.clock.Since(e.decided); e.waiting != nil && age >= 0 && age < shared {
		return e.waiting, nil
	}
	e.waiting, e.decided = nil, e.clock.Now()
	if len(e.source.Policies()) == 0 {
		return nil, nil // a hold that waits by itself says all
	}
	facts, err := e.source.Facts(ctx)
	if err != nil {
		return nil, err
	}
	e.waiting = forecasts(facts.Holds, e.decider.Decide(facts))
	return e.waiting, nil
}

// forecasts are those of the holds on each node of which one waits.
func forecasts(holds []*v1beta1.NodeMaintenance, outcome decision.Outcome) map[string][]v1beta1.AdmissionForecast {
	waiting := map[string]bool{}
	for _, hold := range holds {
		if len(outcome.Holds[hold.UID].Waits) > 0 {
			waiting[hold.Spec.NodeName] = true
		}
	}
	byNode := make(map[string][]v1beta1.AdmissionForecast, len(waiting))
	for _, hold := range holds {
		if decided, found := outcome.Holds[hold.UID]; found && waiting[hold.Spec.NodeName] {
			byNode[hold.Spec.NodeName] = append(byNode[hold.Spec.NodeName], forecastOf(decided))
		}
	}
	return byNode
}

func forecastOf(decided decision.HoldOutcome) v1beta1.AdmissionForecast {
	forecast := v1beta1.AdmissionForecast{
		StartsNow:  len(decided.Waits) == 0 || !decided.AdmittedTime.IsZero(),
		WaitingFor: decided.Waits, Positions: decided.Positions,
	}
	if !decided.Earliest.IsZero() {
		forecast.EarliestStartTime = &metav1.Time{Time: decided.Earliest}
	}
	return forecast
}
