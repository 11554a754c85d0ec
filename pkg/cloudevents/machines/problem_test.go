// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
)

// Each API, and each version of it, has its own place for what is wrong with a machine.
func TestProblem(t *testing.T) {
	capiV1beta1 := api{group: v1beta1.ClusterAPIGroup, version: "v1beta1"}
	tests := map[string]struct {
		of     api
		fields []string
		value  any
		want   string
	}{
		"of OpenShift":               {of: openShift, fields: []string{"errorMessage"}, value: "no quota", want: "no quota"},
		"of Cluster API, in v1beta1": {of: capiV1beta1, fields: []string{"failureMessage"}, value: "no quota", want: "no quota"},
		"of Cluster API, in v1beta2": {of: capi, fields: []string{"deprecated", "v1beta1", "failureMessage"}, value: "no quota", want: "no quota"},
		"a phase alone":              {of: openShift, fields: []string{"phase"}, value: "Failed", want: "in phase Failed"},
		"of the cloud of OpenShift": {
			of: openShift, fields: []string{"providerStatus", "conditions"},
			value: conditions("MachineCreation", "False", "no capacity"), want: "no capacity",
		},
		"not created by OpenShift yet": {
			of: openShift, fields: []string{"conditions"}, value: conditions("MachineCreated", "False", "no capacity"), want: "no capacity",
		},
		"not created by Cluster API yet": {
			of: capi, fields: []string{"conditions"}, value: conditions("InfrastructureReady", "False", "no capacity"), want: "no capacity",
		},
		"created":            {of: capi, fields: []string{"conditions"}, value: conditions("InfrastructureReady", "True", "no more to do")},
		"another condition":  {of: openShift, fields: []string{"conditions"}, value: conditions("Drainable", "False", "it has hooks")},
		"odd conditions":     {of: capi, fields: []string{"conditions"}, value: []any{"InfrastructureReady"}},
		"no conditions":      {of: capi, fields: []string{"conditions"}, value: "InfrastructureReady"},
		"none, in its phase": {of: capi, fields: []string{"phase"}, value: "Provisioning"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, client := newServer(test.of.kind("Machine"), test.of.kind("MachineSet"))
			owner := server.Put(object(test.of, "MachineSet", "set"))
			old, fresh := object(test.of, "Machine", "old"), object(test.of, "Machine", "new")
			control(old, owner)
			control(fresh, owner)
			set(fresh, test.value, append([]string{"status"}, test.fields...)...)
			server.Put(fresh)
			named := reference(owner)
			replaced := v1beta1.MachineReplacement{Machine: reference(server.Put(old)), Owner: &named, NewMachine: "new"}
			facts, err := client.Look(t.Context(), machines.Question{
				Replacement: replaced, Event: "event", NodeReady: func(string) bool { return false },
			})
			if err != nil || facts.New == nil || facts.New.Problem != test.want {
				t.Errorf("the new machine is %+v (%v), want problem %q", facts.New, err, test.want)
			}
		})
	}
}

// conditions are conditions of a machine, with one that is true before the one of the type.
func conditions(name, status, message string) []any {
	return []any{
		map[string]any{"type": "InstanceExists", "status": "True", "message": "it exists"},
		map[string]any{"type": name, "status": status, "message": message},
	}
}
