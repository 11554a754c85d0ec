// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// Result is what the history of a NodeProfile says of the adoption.
func (a *Adoption) Result() v1beta1.TransitionResult {
	if a.Cordoned {
		return v1beta1.TransitionAdoptedCordoned
	}
	return v1beta1.TransitionAdopted
}

// HadCordoned says whether a NodeProfile is still in the state that was adopted, and the controller had cordoned the node for
// it: that counts as done for the profile.
func HadCordoned(status *v1beta1.NodeProfileStatus) bool {
	last := len(status.History) - 1
	return last >= 0 && status.History[last].Result == v1beta1.TransitionAdoptedCordoned
}
