// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// Admission says how far holds may go now. Until a hold is admitted, it counts as if its stage were Idle. An
// admission is not revoked while the hold asks for what was admitted.
type Admission interface {
	// Admitted says how far the hold may go now. It answers at once, from memory.
	Admitted(hold *v1beta1.NodeMaintenance) Admitted
	// Planned says whether the node is to be marked as one whose maintenance may start soon.
	Planned(node string) bool
}

// Admitted is how far a hold may go now.
type Admitted = holdstatus.Admitted
