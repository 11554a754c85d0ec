// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/admitter"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/gates"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/podload"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

// newAdmitter has the drainer ask policies which maintenance may start, and their gates when a node is given back. The
// client is one for this server, as the drainer's.
func (c CompletedConfig) newAdmitter(
	drain *drainer.Drainer, client versioned.Interface, epoch *ledger.Epoch,
) (*admitter.Admitter, error) {
	admit, err := admitter.New(admitter.Config{
		Cluster: drain, Maintenance: client, Kube: c.drainer.Kube, Loads: podload.New(drain, clock.RealClock{}),
		Epoch: epoch,
	})
	if err != nil {
		return nil, err
	}
	checks, err := gates.New(gates.Config{Cluster: drain, Admitter: admit, Kube: c.drainer.Kube, Prometheus: c.prometheus})
	if err != nil {
		return nil, fmt.Errorf("could not create the gates of policies: %w", err)
	}
	admit.CheckWith(checks)
	drain.AskFirst(checks)
	drain.AskFirst(admit)
	drain.AdmitBy(admit)
	return admit, nil
}
