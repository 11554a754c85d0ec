// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// stageUnknown leaves the status as the newer version has written it, and adds why nothing is done.
func (s *statusBuilder) stageUnknown() v1beta1.NodeMaintenanceStatus {
	s.next.LastError = quote.Cut(fmt.Sprintf("spec.stage is %q, which this version of the server does not know: nothing is done for this "+
		"NodeMaintenance, and node %s is not given back, until a newer version of the server runs, or the stage is set to Idle, Cordon or Drain",
		s.hold.Spec.Stage, s.hold.Spec.NodeName), quote.MaxMessage)
	if s.next.LastError != s.old.LastError {
		s.next.LastUpdate = s.now.DeepCopy()
	}
	return *s.next
}
