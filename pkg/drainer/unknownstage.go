// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// sayUnknown has the holds of a node that is left as it is say why: the stage of a hold is not known, or whether
// it is admitted. A node that is in maintenance stays so, and keeps what the gates hold for it.
func (w holdWriter) sayUnknown(ctx context.Context, v *view) result {
	waiting := v.holds()
	if v.recorded != nil {
		waiting = v.active
	}
	did := w.saveStatuses(ctx, slices.DeleteFunc(slices.Clone(waiting), hold.stageKnown), v.facts())
	if keeper := lasting(v.active)[0]; !keeper.stays || v.marks.annotated || v.marks.tainted {
		known := slices.DeleteFunc(slices.Clone(waiting), func(h hold) bool { return !h.stageKnown() })
		did.add(w.saveMessage(ctx, known, keptBy(keeper)))
	}
	return did
}

// keptBy says why the node is not given back.
func keptBy(h hold) string {
	if why := h.unreadable(); why != "" {
		return fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s: %s",
			h.Spec.NodeName, h.Name, why)
	}
	if h.stays {
		return fmt.Sprintf("node %s is not given back yet: the server has to find out first whether NodeMaintenance %s may have it",
			h.Spec.NodeName, h.Name)
	}
	return fmt.Sprintf("node %s is not given back: the stage of NodeMaintenance %s is %q, which this version of the server does not know",
		h.Spec.NodeName, h.Name, h.Spec.Stage)
}

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
