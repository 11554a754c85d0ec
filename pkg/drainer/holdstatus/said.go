// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"slices"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// MaxTried is how many writes without a known result are remembered. More than one is rare: after a
// write that was made, others end in a conflict, and are not remembered, until the cache shows it.
const MaxTried = 32

// Said remembers what we last said in the status of one hold. Only that counts: a status that somebody
// else wrote, or lost, is worked out and written again from it. The handlers of the caches read it, so it
// has a lock.
type Said struct {
	mu sync.Mutex
	// last is the status as we last wrote it or, before that, as we found it; nil before the first look.
	last *v1beta1.NodeMaintenanceStatus
	// previous is what last was before.
	previous *v1beta1.NodeMaintenanceStatus
	// tried are statuses whose write may have been made: it is under way, or has failed.
	tried []v1beta1.NodeMaintenanceStatus
	// found says that last is what we found, and that nobody has compared it with the node's pods yet.
	found bool
}

// Settle returns what we last said. stored is what the store says now. Before the first look, first says
// what of that is to be believed.
func (s *Said) Settle(stored v1beta1.NodeMaintenanceStatus, first func() v1beta1.NodeMaintenanceStatus) v1beta1.NodeMaintenanceStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		believed := first()
		s.last, s.found = &believed, true
	} else if s.isTried(stored) {
		s.last = &stored
	}
	return *s.last
}

// Knows says whether a status that a cache shows may be ours. The cache may be one write behind.
func (s *Said) Knows(stored v1beta1.NodeMaintenanceStatus) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last == nil || sameWords(*s.last, stored) || s.isTried(stored) ||
		(s.previous != nil && sameWords(*s.previous, stored))
}

func (s *Said) isTried(stored v1beta1.NodeMaintenanceStatus) bool {
	return slices.ContainsFunc(s.tried, func(t v1beta1.NodeMaintenanceStatus) bool { return sameWords(t, stored) })
}

// sameWords says whether two statuses are the same without what people have decided, which is not for us to say.
func sameWords(a, b v1beta1.NodeMaintenanceStatus) bool {
	a.Admission, b.Admission = ourAdmission(a), ourAdmission(b)
	return apiequality.Semantic.DeepEqual(a, b)
}

// Tries notes that the status is about to be written. It returns what takes that back: the write was
// refused, so that it was not made for certain.
func (s *Said) Tries(status v1beta1.NodeMaintenanceStatus) (refused func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isTried(status) {
		return func() {} // an earlier write of the same may have been made
	}
	s.tried = append(s.tried[max(len(s.tried)-MaxTried+1, 0):], status)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tried = s.tried[:max(len(s.tried)-1, 0)]
	}
}

// Wrote notes that the status was written.
func (s *Said) Wrote(status v1beta1.NodeMaintenanceStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.previous, s.tried, s.found = &status, s.last, nil, false
}

// corrects replaces what was found by what is to be believed of it.
func (s *Said) corrects(status v1beta1.NodeMaintenanceStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &status
}

// compared says whether the status was found, and not compared with the node's pods before. From now on it
// counts as compared.
func (s *Said) compared() (firstTime bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	firstTime, s.found = s.found, false
	return firstTime
}
