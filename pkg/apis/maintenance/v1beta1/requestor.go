// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "strings"

// The spec.requestor of the holds of integrations. Only the server itself may use them.
const (
	// VSphereRequestor is the integration with hosts of vSphere.
	VSphereRequestor = GroupName + ":vsphere"
	// KubernikusRequestor is the integration with Kubernikus.
	KubernikusRequestor = GroupName + ":kubernikus"
)

// IsServerRequestor says whether a spec.requestor is a profile, a ScheduledEvent or an integration, for which only the
// server itself creates NodeMaintenances.
func IsServerRequestor(requestor string) bool {
	return strings.HasPrefix(requestor, ProfileRequestor) || strings.HasPrefix(requestor, EventRequestor) ||
		requestor == VSphereRequestor || requestor == KubernikusRequestor
}
