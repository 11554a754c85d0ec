// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// subject is the node that a check is about.
type subject struct {
	name string
	// node is nil while it does not exist.
	node *corev1.Node
}

func subjectOf(facts evaluation.Facts) subject {
	return subject{name: facts.NodeProfile.Spec.NodeName, node: facts.Node}
}

// subscription is a check that a NodeProfile wants answered.
type subscription struct {
	nodeProfile string
	check       *v1beta1.ProfileCheck
	subject
	// about is the key of the object that it is about, everyObject or noObject. The lock of watches guards it.
	about string

	mu   sync.Mutex
	told told
}

// told is what the engine knows of an answer, as far as it is woken when that changes. Numbers change with each call. They
// do not count, or each call would be an evaluation and a write for each node.
type told struct {
	// result is empty if the engine knows no answer.
	result evaluation.Result
	// problem is the message of an Error.
	problem string
}

func toldOf(answer evaluation.Answer, known bool) told {
	switch {
	case !known:
		return told{}
	case answer.Result == evaluation.Error:
		return told{result: answer.Result, problem: answer.Message}
	default:
		return told{result: answer.Result}
	}
}

// learn notes what answer returns, and says whether the engine did not know it. It calls answer under the lock: an answer
// that was read before another one must not be noted after it, or the engine would be woken twice more for nothing.
func (s *subscription) learn(answer func(*v1beta1.ProfileCheck, subject) (evaluation.Answer, bool)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := toldOf(answer(s.check, s.subject))
	news := now != s.told
	s.told = now
	return news
}

// resume takes over what the engine knows of the same check.
func (s *subscription) resume(before []*subscription) {
	for _, old := range before {
		if equality.Semantic.DeepEqual(old.check, s.check) {
			s.told = old.known()
		}
	}
}

func (s *subscription) known() told {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told
}

// subscriptions returns those of the checks that ask somebody else.
func subscriptions(facts evaluation.Facts, wants []string) []*subscription {
	var wanted []*subscription
	for i := range facts.Profile.Spec.Checks {
		check := &facts.Profile.Spec.Checks[i]
		if !isExternal(check) || !slices.Contains(wants, check.Name) {
			continue
		}
		given, known := facts.Answers[check.Name]
		wanted = append(wanted, &subscription{
			nodeProfile: facts.NodeProfile.Name, check: check, subject: subjectOf(facts), told: toldOf(given, known),
		})
	}
	return wanted
}
