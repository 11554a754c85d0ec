// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package preview tells whoever writes a policy what it would mean as things are now: the registry asks it. It changes
// nothing.
package preview

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// openings is how many openings a status lists.
const openings = 5

// Source knows the facts that decisions depend on.
type Source interface {
	// Facts gathers the facts. It fails while they are not known. The caller does not change them.
	Facts(ctx context.Context) (decision.Facts, error)
}

// Previewer previews policies. It may be used by several goroutines. Use New.
type Previewer struct {
	source Source
	// prometheus says that gates can ask a Prometheus server.
	prometheus bool
	clock      clock.PassiveClock
}

// New returns a Previewer that knows these facts. prometheus says whether the server has a --prometheus-url.
func New(source Source, prometheus bool) *Previewer {
	return &Previewer{source: source, prometheus: prometheus, clock: clock.RealClock{}}
}

// Preview returns the status that a policy would have now, which may be stored or not, with its next openings.
func (p *Previewer) Preview(ctx context.Context, policy *v1beta1.MaintenancePolicy) (*v1beta1.MaintenancePolicyStatus, error) {
	facts, err := p.source.Facts(ctx)
	if err != nil {
		return nil, err
	}
	times, err := calendar.Compile(policy.Spec.Schedule)
	if err != nil {
		return nil, fmt.Errorf("could not apply spec.schedule: %w", err)
	}
	status := decision.Preview(facts, policy)
	status.NextOpenings = times.Openings(facts.Now, openings)
	return &status, nil
}

// Warnings says what is probably not meant as it is written, in one sentence each. What depends on nodes is left out
// while they are not known.
func (p *Previewer) Warnings(ctx context.Context, policy *v1beta1.MaintenancePolicy) []string {
	warnings := scheduleWarnings(policy.Spec.Schedule, p.clock.Now())
	warnings = append(warnings, emptyWarnings(policy.Spec)...)
	warnings = append(warnings, limitWarnings(policy.Spec.Limits)...)
	warnings = append(warnings, stopWarnings(policy.Spec.AutoStop, p.clock.Now())...)
	if !p.prometheus {
		warnings = append(warnings, prometheusWarnings(policy.Spec.Gates)...)
	}
	facts, err := p.source.Facts(ctx)
	if err != nil {
		return warnings
	}
	return append(warnings, nodeWarnings(policy, facts)...)
}
