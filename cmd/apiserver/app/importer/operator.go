// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"
)

// operators are what is known of the operators themselves.
type operators struct {
	// leaders say which operator runs, one text each.
	leaders []string
	// webhooks are the names of the webhook configurations that ask an operator about its objects.
	webhooks []string
	// unknown says why it is not known whether an operator runs, one text each; empty if it is known.
	unknown []string
}

func (i *importer) operators(ctx context.Context, of []source) (operators, error) {
	var found operators
	var elections []string
	for _, s := range of {
		if slices.Contains(elections, s.election) {
			continue
		}
		elections = append(elections, s.election)
		leases, err := i.kube.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, s.election).String(),
		})
		if apierrors.IsForbidden(err) {
			found.unknown = append(found.unknown, err.Error())
			continue
		}
		if err != nil {
			return operators{}, fmt.Errorf("could not list Leases called %s: %w", s.election, err)
		}
		if len(leases.Items) == 0 {
			found.unknown = append(found.unknown, fmt.Sprintf("no Lease is called %s, by which the operators elect a leader", s.election))
		}
		for _, lease := range leases.Items {
			if leads(lease, time.Now()) {
				found.leaders = append(found.leaders, fmt.Sprintf("%s has renewed the Lease %s/%s at %s",
					*lease.Spec.HolderIdentity, lease.Namespace, lease.Name, lease.Spec.RenewTime.UTC().Format(time.RFC3339)))
			}
		}
	}
	var err error
	found.webhooks, err = i.webhooks(ctx, of)
	return found, err
}

// leads says whether somebody leads by the Lease.
func leads(lease coordinationv1.Lease, now time.Time) bool {
	spec := lease.Spec
	if ptr.Deref(spec.HolderIdentity, "") == "" || spec.RenewTime == nil {
		return false
	}
	return now.Before(spec.RenewTime.Add(time.Duration(ptr.Deref(spec.LeaseDurationSeconds, 0)) * time.Second))
}

// webhooks are the configurations that have the API server ask a webhook about an update of the objects.
func (i *importer) webhooks(ctx context.Context, of []source) ([]string, error) {
	configurations, err := i.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return nil, nil // a change that a webhook refuses tells of it
	}
	if err != nil {
		return nil, fmt.Errorf("could not list ValidatingWebhookConfigurations: %w", err)
	}
	groups := groupsOf(of)
	var names []string
	for _, c := range configurations.Items {
		for _, webhook := range c.Webhooks {
			for _, rule := range webhook.Rules {
				about := func(group string) bool { return slices.Contains(rule.APIGroups, group) }
				if slices.Contains(rule.Resources, plural) && slices.ContainsFunc(groups, about) && !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
			}
		}
	}
	return names, nil
}

// running is the error that an operator runs; nil if none does, as far as that is known.
func (o operators) running() error {
	if len(o.leaders) == 0 {
		return nil
	}
	return fmt.Errorf("the operator runs: %s; scale its Deployment to 0, wait until the Lease has expired, and run this command again "+
		"(or import all the same, with --operator-may-run)", o.leaders[0])
}

// warnings are what an admin should know before the import.
func (o operators) warnings() []string {
	var warnings []string
	if running := o.running(); running != nil {
		warnings = append(warnings, running.Error())
	}
	for _, why := range o.unknown {
		warnings = append(warnings, "it is not known whether the operator runs, which must not be: "+why)
	}
	for _, name := range o.webhooks {
		warnings = append(warnings, fmt.Sprintf("while the operator is down, its webhook lets nobody change its objects: "+
			"kubectl delete validatingwebhookconfiguration %s", name))
	}
	return warnings
}
