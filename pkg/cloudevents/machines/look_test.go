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
		value  string
		want   string
	}{
		"of OpenShift":               {of: openShift, fields: []string{"errorMessage"}, value: "no quota", want: "no quota"},
		"of Cluster API, in v1beta1": {of: capiV1beta1, fields: []string{"failureMessage"}, value: "no quota", want: "no quota"},
		"of Cluster API, in v1beta2": {of: capi, fields: []string{"deprecated", "v1beta1", "failureMessage"}, value: "no quota", want: "no quota"},
		"a phase alone":              {of: openShift, fields: []string{"phase"}, value: "Failed", want: "in phase Failed"},
		"none":                       {of: capi, fields: []string{"phase"}, value: "Provisioning"},
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
