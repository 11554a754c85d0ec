// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A node that a cache does not show is gone only if the API server says so.
func TestConfirmGone(t *testing.T) {
	inWorld(t, func(w *world) {
		name := w.cloud.worker()
		node := drainertest.Get[*corev1.Node](w.Server, "", name)
		kube, _ := w.Clients()
		looks := &term{Engine: &Engine{config: Config{Kube: kube}}}
		for _, test := range []struct {
			name    string
			found   decision.Found
			change  func(status *v1beta1.ScheduledEventStatus)
			removed bool
			fails   bool
		}{
			{name: "it exists", found: decision.Found{Gone: true}, fails: true},
			{name: "another one of its name", found: decision.Found{Gone: true}, change: func(s *v1beta1.ScheduledEventStatus) { s.NodeUID = "former" }},
			{name: "the event has ended", found: decision.Found{Gone: true}, change: func(s *v1beta1.ScheduledEventStatus) { s.EndTime = &metav1.Time{} }},
			{name: "the cache shows it", found: decision.Found{Node: node}},
			{name: "it is gone", found: decision.Found{Gone: true}, removed: true},
		} {
			v := &view{event: &v1beta1.ScheduledEvent{Status: v1beta1.ScheduledEventStatus{NodeName: name, NodeUID: node.UID}}}
			v.facts.Found = test.found
			if test.change != nil {
				test.change(&v.event.Status)
			}
			if test.removed {
				w.Remove(node)
			}
			if err := looks.confirmGone(t.Context(), v); (err != nil) != test.fails {
				t.Errorf("%s: got %v", test.name, err)
			}
		}
	})
}
