// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// problemBytes bounds what is shown of what a machine says is wrong with it.
const problemBytes = 256

var (
	// failures are where machines say that they have failed for good: those of OpenShift, of Cluster API's v1beta1, and of
	// its v1beta2.
	failures = [][]string{
		{"status", "errorMessage"}, {"status", "failureMessage"}, {"status", "deprecated", "v1beta1", "failureMessage"},
	}
	// conditionLists are where machines have conditions. Those of OpenShift also have some of the cloud.
	conditionLists = [][]string{{"status", "conditions"}, {"status", "providerStatus", "conditions"}}
	// creations are the conditions that are false while the cloud has not made the machine: those of OpenShift's releases,
	// and that of Cluster API.
	creations = sets.New("MachineCreated", "MachineCreation", "InfrastructureReady")
)

// problem is what a machine says is wrong with it, or empty. What keeps it from being created may yet pass.
func problem(machine *unstructured.Unstructured) string {
	for _, fields := range failures {
		if said := text(machine, fields...); said != "" {
			return quote.Cut(said, problemBytes)
		}
	}
	for _, fields := range conditionLists {
		if said := uncreated(machine, fields); said != "" {
			return quote.Cut(said, problemBytes)
		}
	}
	if phase := text(machine, "status", "phase"); phase == "Failed" {
		return "in phase " + phase
	}
	return ""
}

// uncreated is the reason why a machine is not created yet, by one list of its conditions.
func uncreated(machine *unstructured.Unstructured, fields []string) string {
	conditions, _, err := unstructured.NestedSlice(machine.Object, fields...)
	if err != nil {
		return ""
	}
	for _, listed := range conditions {
		object, _ := listed.(map[string]any)
		condition := &unstructured.Unstructured{Object: object}
		if creations.Has(text(condition, "type")) && text(condition, "status") == "False" {
			if said := text(condition, "message"); said != "" {
				return said
			}
		}
	}
	return ""
}
