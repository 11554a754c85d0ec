// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// MayAdopt says whether nothing has happened since a NodeProfile began, so that it may go on from where another controller
// was.
func MayAdopt(status *v1beta1.NodeProfileStatus) bool {
	return status.State == v1beta1.ProfileOperational && status.Transition == nil && status.Hold == nil && len(status.History) == 0
}

// Adopt has a NodeProfile go on from where another controller was. There is no state before, so that nobody is told that
// this one was entered; of one that waits, periodic notifiers remind. Enter steps that may not be done are done again.
func Adopt(nodeProfile *v1beta1.NodeProfile, adopted sapdata.Adoption, enter []v1beta1.TransitionStep, now time.Time) {
	status := &nodeProfile.Status
	from := status.State
	remember(status, &v1beta1.RecordedTransition{DecidedTime: micro(now)}, v1beta1.TransitionHistory{
		From: from, Next: adopted.State, Result: adopted.Result(), Message: "adopted from the SAP maintenance-controller",
	}, now)
	goTo(status, adopted.State, now)
	status.Previous = ""
	if !adopted.Since.IsZero() {
		status.Since = second(adopted.Since)
	}
	if adopted.EnterPending && len(enter) > 0 {
		status.Transition = &v1beta1.RecordedTransition{
			ID: ID(nodeProfile.UID, status.Sequence, 0), Phase: v1beta1.PhaseEnter, From: adopted.Previous, Next: adopted.State,
			DecidedTime: metav1.NewMicroTime(status.Since.Time), Steps: enter,
		}
	}
	if adopted.Hold == v1beta1.StageCordon || adopted.Hold == v1beta1.StageDrain {
		status.Hold = &v1beta1.NodeProfileHold{Name: hold.Name(nodeProfile), Source: v1beta1.HoldByTrigger, Stage: adopted.Hold}
	}
}
