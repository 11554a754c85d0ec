// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// queues are the holds that wait, by policy, in the order in which they are to start.
func (s *state) queues() map[*policy][]*hold {
	queues := map[*policy][]*hold{}
	for _, h := range s.waiting {
		for _, p := range h.node.policies {
			queues[p] = append(queues[p], h)
		}
	}
	return queues
}

// places are the places of holds in the queues, sorted by policy. Holds of one node have one place.
func (s *state) places() map[*hold][]v1beta1.QueuePosition {
	s.queued = s.queues()
	places := make(map[*hold][]v1beta1.QueuePosition, len(s.waiting))
	for _, p := range s.policies {
		of := map[*node]int32{}
		for _, h := range s.queued[p] {
			if of[h.node] == 0 {
				of[h.node] = int32(len(of)) + 1
			}
		}
		for _, h := range s.queued[p] {
			places[h] = append(places[h], v1beta1.QueuePosition{Policy: p.name, Position: of[h.node], Of: int32(len(of))})
		}
	}
	return places
}

// policyOutcome is the answer for a policy.
func (s *state) policyOutcome(p *policy) PolicyOutcome {
	var uids []types.UID
	waiting := names{}
	for _, h := range s.queued[p] {
		uids = append(uids, h.UID)
		waiting[h.node.Name] = true
	}
	return PolicyOutcome{Status: s.status(p, len(waiting)), Queue: uids}
}
