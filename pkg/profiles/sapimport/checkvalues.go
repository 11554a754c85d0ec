// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// valid returns a text that is as Kubernetes wants it.
func (b *block) valid(name string, n need, problems func(string) []string) string {
	text := b.text(name, n)
	if text == "" || problems == nil {
		return text
	}
	if found := problems(text); len(found) > 0 {
		b.say(name, Unmapped, strings.Join(found, "; "))
	}
	return text
}

func labelKey(key string) []string { return validation.IsQualifiedName(key) }

func labelValue(value string) []string { return validation.IsValidLabelValue(value) }

// annotationKey ignores capitals, as kube-apiserver does.
func annotationKey(key string) []string { return validation.IsQualifiedName(strings.ToLower(key)) }

var conditionStatuses = []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}

func (p *plugin) conditionStatus() metav1.ConditionStatus {
	status := metav1.ConditionStatus(p.config.text("status", required))
	if status != "" && !slices.Contains(conditionStatuses, status) {
		p.config.say("status", Unmapped, "must be True, False or Unknown: no condition has another status, so the check never passes")
	}
	return status
}
