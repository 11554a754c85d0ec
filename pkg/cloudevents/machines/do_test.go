// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// replacingOld has a set of two machines, one of which is replaced.
func replacingOld() (*machinestest.Server, *machines.Client, v1beta1.MachineReplacement) {
	server, client := newServer(openShift.kind("Machine"), openShift.kind("MachineSet"))
	set := object(openShift, "MachineSet", "set")
	setReplicas(set, 2)
	set = server.Put(set)
	old, sibling := object(openShift, "Machine", "old"), object(openShift, "Machine", "sibling")
	control(old, set)
	control(sibling, set)
	server.Put(sibling)
	owner := reference(set)
	return server, client, v1beta1.MachineReplacement{Machine: reference(server.Put(old)), Owner: &owner}
}

func TestSurgeOnceInSpiteOfConflicts(t *testing.T) {
	server, client, of := replacingOld()
	conflicts := 2
	server.Fault = func(verb string, _ schema.GroupVersionKind, name string) error {
		if verb == "update" && conflicts > 0 {
			conflicts--
			return apierrors.NewConflict(schema.GroupResource{Resource: "machinesets"}, name, errors.New("changed"))
		}
		return nil
	}
	for range 3 {
		if err := client.Do(t.Context(), of, replacement.Act{Kind: replacement.ActSurge, Event: "event"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := replicasOf(server.All("MachineSet")[0]); got != 3 {
		t.Errorf("%d replicas, want 3", got)
	}
}

func TestScaleDownOnlyTheMarkedMachine(t *testing.T) {
	tests := map[string]struct {
		change  func(machines []*unstructured.Unstructured, set *unstructured.Unstructured)
		want    int64
		wantErr error
	}{
		"as decided": {change: func([]*unstructured.Unstructured, *unstructured.Unstructured) {}, want: 2},
		"another machine is marked": {want: 3, wantErr: machines.ErrChanged, change: func(all []*unstructured.Unstructured, _ *unstructured.Unstructured) {
			all[1].SetAnnotations(map[string]string{"machine.openshift.io/delete-machine": "yes"})
		}},
		"the mark is gone": {want: 3, wantErr: machines.ErrChanged, change: func(all []*unstructured.Unstructured, _ *unstructured.Unstructured) {
			all[0].SetAnnotations(nil)
		}},
		"the machine is detached": {want: 3, wantErr: machines.ErrChanged, change: func(all []*unstructured.Unstructured, _ *unstructured.Unstructured) {
			all[0].SetOwnerReferences(nil)
		}},
		"somebody has set the replicas": {want: 5, change: func(_ []*unstructured.Unstructured, set *unstructured.Unstructured) {
			setReplicas(set, 5)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, client, of := replacingOld()
			for _, act := range []replacement.Act{{Kind: replacement.ActSurge}, {Kind: replacement.ActMark, Machine: "old"}} {
				act.Event = "event"
				if err := client.Do(t.Context(), of, act); err != nil {
					t.Fatal(err)
				}
			}
			all, set := server.All("Machine"), server.All("MachineSet")[0]
			test.change(all, set)
			for _, object := range append(all, set) {
				server.Put(object)
			}
			for range 2 {
				err := client.Do(t.Context(), of, replacement.Act{Kind: replacement.ActScaleDown, Machine: "old", Event: "event"})
				if !errors.Is(err, test.wantErr) {
					t.Errorf("got %v, want %v", err, test.wantErr)
				}
			}
			if got := replicasOf(server.All("MachineSet")[0]); got != test.want {
				t.Errorf("%d replicas, want %d", got, test.want)
			}
		})
	}
}

func TestDeleteOnlyTheMachineItself(t *testing.T) {
	server, client, of := replacingOld()
	of.Machine.UID = "earlier"
	if err := client.Do(t.Context(), of, replacement.Act{Kind: replacement.ActDelete, Event: "event"}); err != nil {
		t.Fatal(err)
	}
	if old := server.All("Machine")[0]; old.GetDeletionTimestamp() != nil || len(old.GetAnnotations()) > 0 {
		t.Errorf("another machine of that name was touched: %v", old)
	}
}

func TestUnmarkOnlyOwnMarks(t *testing.T) {
	server, client, of := replacingOld()
	old := server.All("Machine")[0]
	old.SetAnnotations(map[string]string{"machine.openshift.io/exclude-node-draining": "admin"})
	server.Put(old)
	for _, kind := range []replacement.ActKind{replacement.ActMark, replacement.ActUnmark} {
		if err := client.Do(t.Context(), of, replacement.Act{Kind: kind, Machine: "old", Event: "event"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.All("Machine")[0].GetAnnotations(); len(got) != 1 || got["machine.openshift.io/exclude-node-draining"] != "admin" {
		t.Errorf("annotations %v, want those of the admin", got)
	}
}
