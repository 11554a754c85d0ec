// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// changedLast is the profile among those of a node whose state has changed last.
func changedLast(nodeProfile *v1beta1.NodeProfile, siblings []*v1beta1.NodeProfile) (profile string) {
	last := nodeProfile
	for _, other := range siblings {
		if changed(other).After(changed(last)) {
			last = other
		}
	}
	return last.Spec.Profile
}

// changed is the time when the state has changed last; zero: never.
func changed(nodeProfile *v1beta1.NodeProfile) time.Time {
	for _, entry := range slices.Backward(nodeProfile.Status.History) {
		if entry.Result != v1beta1.TransitionAborted {
			return entry.EndedTime.Time
		}
	}
	return time.Time{}
}

// alias is what the label of nodes calls a profile.
func (t *term) alias(name string) string {
	if profile := t.profile(name); profile != nil {
		return profile.AliasOrName()
	}
	return name
}
