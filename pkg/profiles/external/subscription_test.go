// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// What is learned is read under the lock, so that nothing older is noted after it, and only news are news.
func TestLearn(t *testing.T) {
	s := &subscription{}
	known := func(answer evaluation.Answer) func(*v1beta1.ProfileCheck, subject) (evaluation.Answer, bool) {
		return func(*v1beta1.ProfileCheck, subject) (evaluation.Answer, bool) {
			if s.mu.TryLock() {
				t.Error("the answer is read without the lock")
				s.mu.Unlock()
			}
			return answer, answer.Result != ""
		}
	}
	for i, step := range []struct {
		answer evaluation.Answer
		want   bool
	}{
		{evaluation.Answer{}, false},
		{evaluation.Answer{Result: evaluation.True, Message: "the value is 1"}, true},
		{evaluation.Answer{Result: evaluation.True, Message: "the value is 2"}, false},
		{evaluation.Answer{Result: evaluation.Error, Message: "no answer"}, true},
		{evaluation.Answer{Result: evaluation.Error, Message: "refused"}, true},
		{evaluation.Answer{Result: evaluation.Error, Message: "refused"}, false},
		{evaluation.Answer{}, true},
	} {
		if got := s.learn(known(step.answer)); got != step.want {
			t.Errorf("step %d: news %t, want %t", i, got, step.want)
		}
	}
}
