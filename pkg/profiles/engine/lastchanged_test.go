// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestChangedLast(t *testing.T) {
	at := func(profile string, result v1beta1.TransitionResult, minutes ...int) *v1beta1.NodeProfile {
		n := &v1beta1.NodeProfile{Spec: v1beta1.NodeProfileSpec{Profile: profile}}
		for _, minute := range minutes {
			n.Status.History = append(n.Status.History, v1beta1.TransitionHistory{
				Result: result, EndedTime: metav1.NewTime(time.Date(2026, 11, 20, 0, minute, 0, 0, time.UTC)),
			})
		}
		return n
	}
	for name, test := range map[string]struct {
		siblings []*v1beta1.NodeProfile
		want     string
	}{
		"alone":              {nil, "own"},
		"another, later":     {[]*v1beta1.NodeProfile{at("b", v1beta1.TransitionDone, 1, 3), at("c", v1beta1.TransitionDone, 2)}, "b"},
		"another, earlier":   {[]*v1beta1.NodeProfile{at("b", v1beta1.TransitionDone, 1)}, "own"},
		"another, given up":  {[]*v1beta1.NodeProfile{at("b", v1beta1.TransitionAborted, 3)}, "own"},
		"another, unchanged": {[]*v1beta1.NodeProfile{at("b", v1beta1.TransitionDone)}, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := changedLast(at("own", v1beta1.TransitionDone, 2), test.siblings); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
