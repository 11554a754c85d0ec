// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain tells users what maintenance waits for: the registry asks it. It decides with the same function as
// the replica that leads, from the facts as this replica knows them, and changes nothing.
package explain

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// shared is the time for which the answer about all nodes is given again. To show one node takes a decision about all of them.
const shared = time.Second

// Source knows the facts that decisions depend on. An admitter.Admitter does.
type Source interface {
	// Policies returns all policies, from memory; none while they are not known.
	Policies() []*v1beta1.MaintenancePolicy
	// Concerned says whether a policy selects the node, from memory. It says yes while that is not known.
	Concerned(node string) bool
	// Facts gathers the facts. It fails while they are not known. The caller does not change them.
	Facts(ctx context.Context) (decision.Facts, error)
}

// Explainer explains. It may be used by several goroutines. Use New.
type Explainer struct {
	source  Source
	decider decision.Decider
	clock   clock.PassiveClock

	// mu is held while it is decided what waits, so that all who ask meanwhile share the answer.
	mu      sync.Mutex
	waiting map[string][]v1beta1.AdmissionForecast
	decided time.Time
}

// New returns an Explainer of these facts.
func New(source Source) *Explainer { return &Explainer{source: source, clock: clock.RealClock{}} }

// Forecast says whether the hold, stored or not, would start now, and if not, why, in one line. It returns nil if no
// policy selects its node, and it does not wait by itself.
func (e *Explainer) Forecast(ctx context.Context, hold *v1beta1.NodeMaintenance) (forecast *v1beta1.AdmissionForecast, why string, err error) {
	if hold.Spec.NotBefore == nil && !e.source.Concerned(hold.Spec.NodeName) {
		return nil, "", nil
	}
	facts, err := e.source.Facts(ctx)
	if err != nil {
		return nil, "", err
	}
	if forecast = e.decider.Forecast(facts, hold); forecast == nil {
		return nil, "", nil
	}
	return forecast, decision.Message(forecast.WaitingFor), nil
}

// Queue returns what waits for the policy, in the order in which it is to start.
func (e *Explainer) Queue(ctx context.Context, policy string) (*v1beta1.MaintenancePolicyQueue, error) {
	facts, err := e.source.Facts(ctx)
	if err != nil {
		return nil, err
	}
	return e.decider.Queue(facts, policy), nil
}
