// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hold

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// Look says how far the NodeMaintenance of a NodeProfile is, as a cache has it; nil: there is none. It asks nobody.
func Look(cached *v1beta1.NodeMaintenance, np *v1beta1.NodeProfile) Seen {
	if cached == nil {
		return Seen{}
	}
	return see(cached, np)
}
