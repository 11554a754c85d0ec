// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// profiles reads what profiles do, and why.
func (g *gatherer) profiles(ctx context.Context) error {
	for _, kind := range []struct {
		resource, contents string
		fields             redact.Fields
	}{
		{"maintenanceprofiles", "profiles: what they check and do, and on how many nodes", redact.Hold},
		{"nodeprofiles", "each profile on each node: its state, its checks, what it waits for, and what it has done", redact.NodeProfile},
		{"maintenanceendpoints", "servers that profiles call, in the cluster or outside, without their URLs", redact.Endpoint},
	} {
		c := g.index.begin(kind.resource+"/", kind.contents)
		g.read(ctx, c, list{resource: v1beta1.SchemeGroupVersion.WithResource(kind.resource), folder: c.path, fields: kind.fields})
	}
	return nil
}
