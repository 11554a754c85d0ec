// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/mirror"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/shadow"
)

// mirrors write what the SAP maintenance-controller has, and know whether it runs. They are nil if nobody wants them; then
// their methods do nothing.
type mirrors struct {
	shadow *shadow.Shadow
	// mirror is nil before follow.
	mirror *mirror.Mirror
}

// newMirrors returns the mirrors, which write nothing before follow; nil without --sap-mirrors.
func (c CompletedConfig) newMirrors() *mirrors {
	if !c.sap.Mirrors {
		return nil
	}
	return &mirrors{shadow: shadow.New(shadow.Config{Kube: c.drainer.Kube, Namespace: c.sap.Namespace})}
}

// follow has the mirrors write what the profiles do, while the drainer leads. The client of the cluster is fenced.
func (m *mirrors) follow(c CompletedConfig, drain *drainer.Drainer, profiles *engine.Engine) error {
	if m == nil {
		return nil
	}
	var err error
	m.mirror, err = mirror.New(mirror.Config{
		Kube: c.drainer.Kube, Profiles: profiles.Profiles(), NodeProfiles: profiles.NodeProfiles().Informer(), Adopted: profiles.Adopted,
		Shadow: m.shadow, Label: c.profiles.Label,
	})
	if err != nil {
		return fmt.Errorf("could not create the mirrors of the SAP maintenance-controller: %w", err)
	}
	m.shadow.Follow(m.mirror.Wake)
	m.shadow.Follow(profiles.ClusterChanged)
	drain.LeadBeside(m.mirror.Lead)
	return nil
}

// watch knows whether the controller runs, until ctx is done.
func (m *mirrors) watch(ctx context.Context) {
	if m != nil {
		m.shadow.Run(ctx)
	}
}
