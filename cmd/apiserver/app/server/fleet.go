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
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/promquery"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// addFleet has the drainer ask the MaintenancePolicies when a node may start, and when it may be given back. The client
// is the loopback client.
func (c CompletedConfig) addFleet(drain *drainer.Drainer, client versioned.Interface) (*admitter.Admitter, error) {
	admits, err := admitter.New(admitter.Config{
		Cluster: drain, Maintenance: client, Kube: c.drainer.Kube, Loads: podload.New(drain, clock.RealClock{}),
	})
	if err != nil {
		return nil, err
	}
	config := gates.Config{Cluster: drain, Admitter: admits, Kube: c.drainer.Kube}
	if c.prometheus.URL != "" {
		prometheus, err := promquery.New(c.prometheus)
		if err != nil {
			return nil, err
		}
		config.Prometheus = prometheus
	}
	checks, err := gates.New(config)
	if err != nil {
		return nil, fmt.Errorf("could not make the gates of policies: %w", err)
	}
	admits.CheckWith(checks)
	drain.AskFirst(checks)
	drain.AskFirst(admits)
	drain.AdmitBy(admits)
	return admits, nil
}
