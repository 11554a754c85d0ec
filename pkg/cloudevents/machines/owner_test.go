// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
)

func TestOwnerOf(t *testing.T) {
	tests := map[string]struct {
		// own makes the owners of the machine.
		own         func(server *machinestest.Server, machine *unstructured.Unstructured)
		want        string
		wantKind    string
		wantPlane   bool
		wantNoSurge string
	}{
		"none": {own: func(*machinestest.Server, *unstructured.Unstructured) {}},
		"a set": {want: "set", wantKind: "MachineSet", own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
			control(machine, server.Put(object(capi, "MachineSet", "set")))
		}},
		"another set of its name": {wantKind: "MachineSet", own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
			was := object(capi, "MachineSet", "set")
			was.SetUID("earlier")
			control(machine, was)
			server.Put(object(capi, "MachineSet", "set"))
		}},
		"a deployment": {want: "deployment", wantKind: "MachineSet", own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
			control(machine, setOf(server, server.Put(object(capi, "MachineDeployment", "deployment")), "set"))
		}},
		"a deployment that is rolled out": {
			want: "deployment", wantKind: "MachineSet", wantNoSurge: "rolled out",
			own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
				deployment := server.Put(object(capi, "MachineDeployment", "deployment"))
				control(machine, setOf(server, deployment, "set"))
				setOf(server, deployment, "next")
			},
		},
		"a deployment of a topology": {
			want: "deployment", wantKind: "MachineSet", wantNoSurge: "topology",
			own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
				deployment := object(capi, "MachineDeployment", "deployment")
				deployment.SetLabels(map[string]string{"topology.cluster.x-k8s.io/owned": ""})
				control(machine, setOf(server, server.Put(deployment), "set"))
			},
		},
		"a control plane": {
			want: "plane", wantKind: "KubeadmControlPlane", wantPlane: true,
			own: func(server *machinestest.Server, machine *unstructured.Unstructured) {
				plane := object(capi, "KubeadmControlPlane", "plane")
				plane.SetGroupVersionKind(planeKind)
				control(machine, server.Put(plane))
			},
		},
		"something else": {wantKind: "MachinePool", own: func(_ *machinestest.Server, machine *unstructured.Unstructured) {
			control(machine, object(capi, "MachinePool", "pool"))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, client := newServer(capi.kind("Machine"), capi.kind("MachineSet"), capi.kind("MachineDeployment"), planeKind)
			machine := object(capi, "Machine", "machine")
			test.own(server, machine)
			machine = server.Put(machine)
			owner, kind, err := client.OwnerOf(t.Context(), reference(machine))
			if err != nil || kind != test.wantKind || (owner == nil) != (test.want == "") {
				t.Fatalf("owner %+v, kind %q (%v), want %q, %q", owner, kind, err, test.want, test.wantKind)
			}
			if owner == nil {
				return
			}
			surges := (owner.NoSurge == "") == (test.wantNoSurge == "") && strings.Contains(owner.NoSurge, test.wantNoSurge)
			if owner.Object.Name != test.want || owner.ControlPlane != test.wantPlane || !surges {
				t.Errorf("owner %+v, want %q, control plane %t, %q", owner, test.want, test.wantPlane, test.wantNoSurge)
			}
		})
	}
}

var planeKind = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}

func setOf(server *machinestest.Server, deployment *unstructured.Unstructured, name string) *unstructured.Unstructured {
	set := object(capi, "MachineSet", name)
	control(set, deployment)
	return server.Put(set)
}

func reference(object *unstructured.Unstructured) v1beta1.ReplacedObject {
	kind := object.GroupVersionKind()
	return v1beta1.ReplacedObject{
		APIGroup: kind.Group, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(),
	}
}
