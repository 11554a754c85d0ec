// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
)

// evictionResources are how rules name evictions.
var evictionResources = []string{"pods/eviction", "pods/*", "*/eviction", "*/*"}

// admission reads which webhooks and policies may refuse an eviction.
func (g *gatherer) admission(ctx context.Context) error {
	c := g.index.begin("admission/", "webhooks and admission policies that evictions pass")
	for _, kind := range []struct {
		resource string
		fields   redact.Fields
	}{
		{"validatingwebhookconfigurations", redact.Webhooks},
		{"mutatingwebhookconfigurations", redact.Webhooks},
		{"validatingadmissionpolicies", redact.Policy},
		{"mutatingadmissionpolicies", redact.Policy},
	} {
		resource := admissionv1.SchemeGroupVersion.WithResource(kind.resource)
		g.read(ctx, c, list{resource: resource, folder: c.path + kind.resource + "/", fields: kind.fields, see: seesEvictions})
	}
	return nil
}

// admissionRules are the rules of a configuration of webhooks, or of a policy.
type admissionRules struct {
	Webhooks []struct {
		Rules []admissionv1.RuleWithOperations `json:"rules"`
	} `json:"webhooks"`
	Spec struct {
		MatchConstraints struct {
			ResourceRules []admissionv1.RuleWithOperations `json:"resourceRules"`
		} `json:"matchConstraints"`
	} `json:"spec"`
}

func seesEvictions(object *unstructured.Unstructured) bool {
	var found admissionRules
	if !as(object, &found) {
		return true // better too much
	}
	rules := found.Spec.MatchConstraints.ResourceRules
	for _, webhook := range found.Webhooks {
		rules = append(rules, webhook.Rules...)
	}
	return slices.ContainsFunc(rules, matchesEviction)
}

func matchesEviction(rule admissionv1.RuleWithOperations) bool {
	group := slices.Contains(rule.APIGroups, corev1.GroupName) || slices.Contains(rule.APIGroups, "*")
	operation := slices.Contains(rule.Operations, admissionv1.Create) || slices.Contains(rule.Operations, admissionv1.OperationAll)
	return group && operation && slices.ContainsFunc(evictionResources, func(name string) bool {
		return slices.Contains(rule.Resources, name)
	})
}
