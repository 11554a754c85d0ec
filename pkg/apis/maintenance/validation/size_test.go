// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// labels makes labels of 26 bytes each as JSON.
func labels(count int) map[string]string {
	labels := map[string]string{}
	for i := range count {
		labels[fmt.Sprintf("label-%06d", i)] = "12345678"
	}
	return labels
}

func withLabels(count int) *maintenance.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Labels = labels(count)
	return nm
}

func withSelector(labelCount int) *maintenance.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: labels(labelCount)}
	return nm
}

// managed adds managedFields of several managers, for the labels of nm.
func managed(nm *maintenance.NodeMaintenance, managers int) *maintenance.NodeMaintenance {
	fields, err := json.Marshal(nm.Labels)
	if err != nil {
		panic(err)
	}
	for i := range managers {
		nm.ManagedFields = append(nm.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprintf("manager-%d", i), FieldsV1: metav1.NewFieldsV1(string(fields)),
		})
	}
	return nm
}

func TestSize(t *testing.T) {
	const metadataTooLong = "metadata: Too long: may not be more than 65536 bytes"
	const selectorTooLong = "spec.drain.podSelector: Too long: may not be more than 16384 bytes"
	const managersTooLong = "metadata.managedFields: Too long: may not be more than 524288 bytes"
	wrong := withLabels(2700)
	wrong.Labels["-"] = ""
	tests := map[string]struct {
		nm, old *maintenance.NodeMaintenance
		want    []string
	}{
		"large metadata":                  {nm: withLabels(2400)},
		"too large metadata":              {nm: withLabels(2700), want: []string{metadataTooLong}},
		"too large, and wrong besides":    {nm: wrong, want: []string{metadataTooLong}},
		"large selector":                  {nm: withSelector(600)},
		"too large selector":              {nm: withSelector(700), want: []string{selectorTooLong}},
		"metadata grown too large":        {nm: withLabels(2700), old: withLabels(1), want: []string{metadataTooLong}},
		"selector grown too large":        {nm: withSelector(700), old: withSelector(1), want: []string{selectorTooLong}},
		"grown by another manager":        {nm: managed(withLabels(2400), 2), old: managed(withLabels(2400), 1)},
		"grown by many managers":          {nm: managed(withLabels(2400), 12), old: managed(withLabels(2400), 1), want: []string{managersTooLong}},
		"as many managers as before":      {nm: managed(withLabels(2400), 12), old: managed(withLabels(2400), 12)},
		"too large before, and unchanged": {nm: withLabels(2700), old: withLabels(2700)},
		"too large before, and smaller":   {nm: withSelector(700), old: withSelector(800)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.old == nil {
				wantErrors(t, ValidateNodeMaintenance(test.nm), test.want...)
			} else {
				wantErrors(t, ValidateSize(test.nm, test.old), test.want...)
			}
		})
	}
}
