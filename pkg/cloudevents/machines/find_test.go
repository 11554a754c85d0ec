// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
)

var (
	openShift = api{group: v1beta1.OpenShiftMachineGroup, version: "v1beta1"}
	capi      = api{group: v1beta1.ClusterAPIGroup, version: "v1beta2"}
)

// clockStart is what the clocks of tests show first.
var clockStart = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newServer(kinds ...schema.GroupVersionKind) (*machinestest.Server, *machines.Client) {
	clock := clocktesting.NewFakePassiveClock(clockStart)
	server := machinestest.New(clock)
	server.Serve(kinds...)
	return server, machines.New(server, server, clock)
}

// machineOf is a machine that says it is a node, with the node's id at the cloud, and its UID.
func machineOf(of api, name, node, id, uid string) *unstructured.Unstructured {
	machine := object(of, "Machine", name)
	set(machine, node, "status", "nodeRef", "name")
	if id != "" {
		set(machine, id, "spec", "providerID")
	}
	if uid != "" {
		set(machine, uid, "status", "nodeRef", "uid")
	}
	return machine
}

func object(of api, kind, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(of.kind(kind))
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func TestFind(t *testing.T) {
	hints := map[string]string{"machine.openshift.io/machine": "machines/hinted"} // what the node says of its machine
	tests := map[string]struct {
		machines    []*unstructured.Unstructured
		annotations map[string]string
		want        string
		wantErr     string
	}{
		"of OpenShift":            {machines: []*unstructured.Unstructured{machineOf(openShift, "a", "node", "aws:///a/i-1", "")}, want: "a"},
		"of Cluster API":          {machines: []*unstructured.Unstructured{machineOf(capi, "b", "node", "aws:///a/i-1", "")}, want: "b"},
		"by the UID of the node":  {machines: []*unstructured.Unstructured{machineOf(openShift, "a", "node", "", "node-uid")}, want: "a"},
		"a forged hint":           {machines: []*unstructured.Unstructured{machineOf(openShift, "hinted", "victim", "aws:///a/i-2", "")}, annotations: hints, wantErr: "no machine"},
		"a forged provider id":    {machines: []*unstructured.Unstructured{machineOf(openShift, "hinted", "victim", "aws:///a/i-1", "")}, annotations: hints, wantErr: "no machine"},
		"a node of another cloud": {machines: []*unstructured.Unstructured{machineOf(openShift, "a", "node", "aws:///a/i-2", "")}, wantErr: "no machine"},
		"an earlier node":         {machines: []*unstructured.Unstructured{machineOf(openShift, "a", "node", "aws:///a/i-1", "earlier")}, wantErr: "no machine"},
		"a name alone":            {machines: []*unstructured.Unstructured{machineOf(capi, "a", "node", "", "")}, wantErr: "no machine"},
		"two, whichever of them the node names": {
			machines: []*unstructured.Unstructured{
				machineOf(openShift, "hinted", "node", "", "node-uid"), machineOf(openShift, "other", "node", "aws:///a/i-1", ""),
			},
			annotations: hints, wantErr: "machines/hinted and machines/other both say",
		},
		"two": {
			machines: []*unstructured.Unstructured{machineOf(openShift, "a", "node", "aws:///a/i-1", ""), machineOf(capi, "b", "node", "aws:///a/i-1", "")},
			wantErr:  "machines/a and machines/b both say",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, client := newServer(openShift.kind("Machine"), capi.kind("Machine"))
			for _, machine := range test.machines {
				server.Put(machine)
			}
			node := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: "node", UID: "node-uid", Annotations: test.annotations},
				Spec:       corev1.NodeSpec{ProviderID: "aws:///a/i-1"},
			}
			got, err := client.Find(t.Context(), node)
			if got.Name != test.want || (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("found %q (%v), want %q (%s)", got.Name, err, test.want, test.wantErr)
			}
		})
	}
}

func TestFindRefused(t *testing.T) {
	_, client := newServer()
	if _, err := client.Find(t.Context(), &corev1.Node{}); !errors.Is(err, machines.ErrNotServed) {
		t.Errorf("got %v, want ErrNotServed", err)
	}
	server, client := newServer(openShift.kind("Machine"))
	server.Fault = func(string, schema.GroupVersionKind, string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "", errors.New("no rights"))
	}
	if _, err := client.Find(t.Context(), &corev1.Node{}); err == nil || !strings.Contains(err.Error(), "--machine-api=none") {
		t.Errorf("got %v, want what would help", err)
	}
}
