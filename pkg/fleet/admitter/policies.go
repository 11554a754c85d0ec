// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// requestTimeout bounds one request.
const requestTimeout = 5 * time.Second

// Watch keeps the policies up to date until ctx is done. It is to be called once, in every process.
func (a *Admitter) Watch(ctx context.Context) { a.policies.RunWithContext(ctx) }

// Policies returns what is cached of all policies, sorted by name. They are not to be changed.
func (a *Admitter) Policies() []*v1beta1.MaintenancePolicy {
	listed := a.policies.GetStore().List()
	policies := make([]*v1beta1.MaintenancePolicy, 0, len(listed))
	for _, object := range listed {
		if policy, isPolicy := object.(*v1beta1.MaintenancePolicy); isPolicy {
			policies = append(policies, policy)
		}
	}
	return sorted(policies)
}

// Concerned says whether a policy selects the node, from memory. It says yes while that is not known.
func (a *Admitter) Concerned(node string) bool {
	policies := a.Policies()
	if len(policies) == 0 {
		return false
	}
	found, err := a.config.Cluster.Node(node)
	if err != nil || found == nil {
		return true
	}
	return slices.ContainsFunc(policies, func(policy *v1beta1.MaintenancePolicy) bool {
		selects, err := decision.Selects(policy, found)
		return selects || err != nil
	})
}

// WithoutPolicies says whether it is known that there are no policies, as cached.
func (a *Admitter) WithoutPolicies() bool {
	return a.policies.HasSynced() && len(a.policies.GetStore().ListKeys()) == 0
}

func sorted(policies []*v1beta1.MaintenancePolicy) []*v1beta1.MaintenancePolicy {
	slices.SortFunc(policies, func(a, b *v1beta1.MaintenancePolicy) int { return cmp.Compare(a.Name, b.Name) })
	return policies
}

// livePolicies asks our own server, and not its cache, for all policies.
func (a *Admitter) livePolicies(ctx context.Context) ([]*v1beta1.MaintenancePolicy, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := a.config.Maintenance.MaintenanceV1beta1().MaintenancePolicies().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list MaintenancePolicies: %w", err)
	}
	policies := make([]*v1beta1.MaintenancePolicy, 0, len(list.Items))
	for i := range list.Items {
		policies = append(policies, &list.Items[i])
	}
	return sorted(policies), nil
}

// askTheSame says whether the policies are the same, and ask for the same. Their statuses may differ.
func askTheSame(a, b []*v1beta1.MaintenancePolicy) bool {
	return slices.EqualFunc(a, b, func(a, b *v1beta1.MaintenancePolicy) bool {
		return a.Name == b.Name && a.UID == b.UID && a.Generation == b.Generation
	})
}

// FollowPolicies calls changed when a policy comes, asks for something else, or goes, until stop is called; and once for
// each policy that exists. It fails when Watch has ended.
func (a *Admitter) FollowPolicies(changed func()) (stop func(), err error) {
	registration, err := a.policies.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changed() },
		UpdateFunc: func(before, after any) {
			old, wasPolicy := before.(*v1beta1.MaintenancePolicy)
			updated, isPolicy := after.(*v1beta1.MaintenancePolicy)
			if !wasPolicy || !isPolicy || old.UID != updated.UID || old.Generation != updated.Generation {
				changed()
			}
		},
		DeleteFunc: func(any) { changed() },
	})
	if err != nil {
		return nil, fmt.Errorf("could not follow MaintenancePolicies: %w", err)
	}
	return func() { _ = a.policies.RemoveEventHandler(registration) }, nil
}
