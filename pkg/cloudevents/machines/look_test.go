// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// A machine that is deleted while it is looked at is not detached, whichever read sees that first, and is not counted.
func TestLookWhileTheMachineIsDeleted(t *testing.T) {
	tests := map[string]struct {
		leave func(server *machinestest.Server, old *unstructured.Unstructured)
		want  replacement.Presence
	}{
		"deleted": {want: replacement.Deleting, leave: func(server *machinestest.Server, old *unstructured.Unstructured) {
			old.SetDeletionTimestamp(&metav1.Time{Time: clockStart})
			server.Put(old)
		}},
		"gone": {want: replacement.Gone, leave: (*machinestest.Server).Remove},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for before := 1; ; before++ {
				server, client, of := replacingOld()
				reads := 0
				server.Reading = func() {
					if reads++; reads == before {
						test.leave(server, server.All("Machine")[0])
					}
				}
				facts, err := client.Look(t.Context(), machines.Question{Replacement: of, NodeReady: func(string) bool { return true }})
				if reads < before {
					return
				}
				if err != nil || facts.Machine != test.want || facts.Live != 1 {
					t.Errorf("before read %d: got %s, %d live (%v), want %s, 1 live", before, facts.Machine, facts.Live, err, test.want)
				}
			}
		})
	}
}

func TestLookAtDetachedMachine(t *testing.T) {
	server, client, of := replacingOld()
	old := server.All("Machine")[0]
	old.SetOwnerReferences(nil)
	server.Put(old)
	facts, err := client.Look(t.Context(), machines.Question{Replacement: of, NodeReady: func(string) bool { return true }})
	if err != nil || facts.Machine != replacement.Detached {
		t.Errorf("got %s (%v), want it to be detached", facts.Machine, err)
	}
}
