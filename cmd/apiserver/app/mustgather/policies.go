// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// policies reads what says when maintenance may start, and which nodes were admitted.
func (g *gatherer) policies(ctx context.Context) error {
	for _, kind := range []struct{ resource, contents string }{
		{"maintenancepolicies", "policies: when maintenance may start, and of how many nodes"},
		{"maintenanceledgers", "which nodes were admitted to maintenance, and what counts for their policies"},
	} {
		c := g.index.begin(kind.resource+"/", kind.contents)
		g.read(ctx, c, list{resource: v1beta1.SchemeGroupVersion.WithResource(kind.resource), folder: c.path, fields: redact.Hold})
	}
	return nil
}
