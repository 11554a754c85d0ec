// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// labels makes labels of 26 bytes each as JSON.
func labels(count int) map[string]string {
	labels := map[string]string{}
	for i := range count {
		labels[fmt.Sprintf("label-%06d", i)] = "12345678"
	}
	return labels
}

func withLabels(count int) *v1beta1.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Labels = labels(count)
	return nm
}

func withSelector(labelCount int) *v1beta1.NodeMaintenance {
	return selecting(validNodeMaintenance(), labelCount)
}

func selecting(nm *v1beta1.NodeMaintenance, labelCount int) *v1beta1.NodeMaintenance {
	nm.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: labels(labelCount)}
	return nm
}

func withReason(characters int) *v1beta1.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Spec.Reason = strings.Repeat("a", characters)
	return nm
}

func withNodeName(characters int) *v1beta1.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Spec.NodeName = strings.Repeat("a", characters)
	return nm
}

func withStage(characters int) *v1beta1.NodeMaintenance {
	nm := validNodeMaintenance()
	nm.Spec.Stage = v1beta1.MaintenanceStage(strings.Repeat("a", characters))
	return nm
}

func withLargeRules(rules, labelCount int) *v1beta1.NodeMaintenance {
	nm := validNodeMaintenance()
	rule := v1beta1.DrainRule{Action: v1beta1.ActionSkip, PodSelector: &metav1.LabelSelector{MatchLabels: labels(labelCount)}}
	nm.Spec.Drain.Rules = slices.Repeat([]v1beta1.DrainRule{rule}, rules)
	return nm
}

// applied adds what kubectl apply does.
func applied(nm *v1beta1.NodeMaintenance) *v1beta1.NodeMaintenance {
	whole, err := json.Marshal(nm)
	if err != nil {
		panic(err)
	}
	nm.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: string(whole)}
	return nm
}

func withStatus(nm *v1beta1.NodeMaintenance, pods int) *v1beta1.NodeMaintenance {
	nm.Status.PendingPods = slices.Repeat([]string{"namespace/a-pod-that-has-yet-to-leave"}, pods)
	return nm
}

// managed adds managedFields of several managers, for the labels of nm.
func managed(nm *v1beta1.NodeMaintenance, managers int) *v1beta1.NodeMaintenance {
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
	const metadataTooLong = "metadata: Too long: may not be more than 32768 bytes"
	const selectorTooLong = "spec.drain.podSelector: Too long: may not be more than 16384 bytes"
	const objectTooLong = "object: Too long: may not be more than 65536 bytes"
	const managersTooLong = "metadata.managedFields: Too long: may not be more than 32768 bytes"
	const reasonTooLong = "spec.reason: Too long: may not be more than 1024 characters"
	const nodeNameTooLong = "spec.nodeName: Too long: may not be more than 253 bytes"
	wrong := withLabels(1300)
	wrong.Labels["-"] = ""
	tests := map[string]struct {
		nm, old *v1beta1.NodeMaintenance
		want    []string
	}{
		"large metadata":                  {nm: withLabels(1200)},
		"too large metadata":              {nm: withLabels(1300), want: []string{metadataTooLong}},
		"too large, and wrong besides":    {nm: wrong, want: []string{metadataTooLong}},
		"large selector":                  {nm: withSelector(600)},
		"too large selector":              {nm: withSelector(700), want: []string{selectorTooLong}},
		"the largest rules, applied":      {nm: applied(withLargeRules(64, 5))},
		"metadata grown too large":        {nm: withLabels(1300), old: withLabels(1), want: []string{metadataTooLong}},
		"selector grown too large":        {nm: withSelector(700), old: withSelector(1), want: []string{selectorTooLong}},
		"grown by a dozen managers":       {nm: managed(withLabels(50), 12), old: managed(withLabels(50), 1)},
		"grown by too many managers":      {nm: managed(withLabels(50), 30), old: managed(withLabels(50), 1), want: []string{managersTooLong}},
		"each part large":                 {nm: selecting(managed(withLabels(1200), 1), 600), old: withLabels(1200), want: []string{objectTooLong}},
		"reason as large as a request":    {nm: withReason(1 << 20), want: []string{reasonTooLong}},
		"reason grown too large":          {nm: withReason(1 << 20), old: withReason(1), want: []string{reasonTooLong}},
		"node as large as a request":      {nm: withNodeName(1 << 20), want: []string{nodeNameTooLong}},
		"node grown too large":            {nm: withNodeName(1 << 20), old: withNodeName(1), want: []string{nodeNameTooLong}},
		"stage as large as a request":     {nm: withStage(1 << 20), want: []string{objectTooLong}},
		"too many managers, as before":    {nm: managed(withLabels(50), 30), old: managed(withLabels(50), 30)},
		"too large before, and unchanged": {nm: withLabels(1300), old: withLabels(1300)},
		"too large before, and smaller":   {nm: withSelector(700), old: withSelector(800)},
		"too large, by another manager":   {nm: managed(withLabels(1300), 1), old: managed(withLabels(1400), 1)},
		"smaller, with one more manager":  {nm: managed(withLabels(1300), 2), old: managed(withLabels(3000), 1)},
		"too large, of its status":        {nm: withStatus(withLabels(10), 5000), old: withLabels(9)},
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
