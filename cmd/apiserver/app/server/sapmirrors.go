// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/mirror"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/shadow"
)

// mirrors write what the SAP maintenance-controller has, and know whether it runs. They are nil if nobody wants them; then
// their methods do nothing.
type mirrors struct {
	shadow *shadow.Shadow
	mirror *mirror.Mirror
}

// newMirrors returns the mirrors; nil without --sap-mirrors. They write while the drainer leads. The clients are fenced.
func (c CompletedConfig) newMirrors(drain *drainer.Drainer, client versioned.Interface) (*mirrors, error) {
	if !c.sap.Mirrors {
		return nil, nil
	}
	m := &mirrors{shadow: shadow.New(shadow.Config{Kube: c.drainer.Kube, Namespace: c.sap.Namespace})}
	var err error
	m.mirror, err = mirror.New(mirror.Config{Kube: c.drainer.Kube, Maintenance: client, Shadow: m.shadow, Label: c.profiles.Label})
	if err != nil {
		return nil, fmt.Errorf("could not create the mirrors of the SAP maintenance-controller: %w", err)
	}
	m.shadow.Follow(m.mirror.Wake)
	drain.LeadBeside(m.mirror.Lead)
	return m, nil
}

// watch knows whether the controller runs, until ctx is done.
func (m *mirrors) watch(ctx context.Context) {
	if m != nil {
		m.shadow.Run(ctx)
	}
}
