// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

// oldest is the oldest Kubernetes that selects custom resources by their fields.
var oldest = version.MustParseGeneric("1.32")

// maxQuestions is how many questions the cluster is asked at once.
const maxQuestions = 10

// neededVerbs are what the server does with the objects of each kind.
func neededVerbs() map[string][]string {
	needed := map[string][]string{StoreKind.Resource: {"get", "create"}}
	for _, kind := range kinds {
		needed[kind.Resource] = []string{"get", "list", "watch", "create", "update", "delete"}
	}
	return needed
}

// CheckCluster returns an error, for an admin to read, if the cluster cannot store the envelopes: it is too old, does
// not have the CRDs, or does not let the server use them. It takes no longer than ctx allows.
func CheckCluster(ctx context.Context, cluster discovery.DiscoveryInterface, access authorizationclient.SelfSubjectAccessReviewInterface) error {
	inTime := discovery.ToDiscoveryInterfaceWithContext(cluster)
	if err := checkVersion(ctx, inTime); err != nil {
		return err
	}
	if err := checkKinds(ctx, inTime); err != nil {
		return err
	}
	return checkPermissions(ctx, access)
}

func checkVersion(ctx context.Context, cluster discovery.ServerVersionInterfaceWithContext) error {
	info, err := cluster.ServerVersionWithContext(ctx)
	if err != nil {
		return fmt.Errorf("could not read the version of the cluster: %w", err)
	}
	found, err := version.ParseGeneric(info.GitVersion)
	if err != nil {
		return fmt.Errorf("could not read the version of the cluster: %w", err)
	}
	if !found.AtLeast(oldest) {
		return fmt.Errorf("the cluster is Kubernetes %s, and --store=cluster needs %s or later: use an etcd, with --etcd-servers, "+
			"or --store=embedded", info.GitVersion, oldest)
	}
	return nil
}

func checkKinds(ctx context.Context, cluster discovery.ServerResourcesInterfaceWithContext) error {
	list, err := cluster.ServerResourcesForGroupVersionWithContext(ctx, GroupVersion.String())
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not find out whether the cluster has the CRDs of the store: %w", err)
	}
	served := sets.New[string]()
	if err == nil {
		for _, resource := range list.APIResources {
			served.Insert(resource.Name)
		}
	}
	for _, resource := range slices.Sorted(maps.Keys(neededVerbs())) {
		if !served.Has(resource) {
			return fmt.Errorf("the cluster has no CRD %s.%s: set the chart's value store.type=cluster, with the chart of this version", resource, GroupVersion.Group)
		}
	}
	return nil
}

// checkPermissions asks for all permissions side by side, since there are dozens and the cluster may be slow. Of those that
// are missing, it names the first in the order of the names.
func checkPermissions(ctx context.Context, access authorizationclient.SelfSubjectAccessReviewInterface) error {
	var questions []func() error
	needed := neededVerbs()
	for _, resource := range slices.Sorted(maps.Keys(needed)) {
		for _, verb := range needed[resource] {
			questions = append(questions, func() error { return checkAccess(ctx, access, resource, verb) })
		}
	}
	errs := make([]error, len(questions))
	var group errgroup.Group
	group.SetLimit(maxQuestions)
	for i, ask := range questions {
		group.Go(func() error {
			errs[i] = ask()
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	return cmp.Or(errs...)
}

func checkAccess(ctx context.Context, access authorizationclient.SelfSubjectAccessReviewInterface, resource, verb string) error {
	review, err := access.Create(ctx, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: GroupVersion.Group, Resource: resource, Verb: verb},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("could not ask what the server may do: %w", err)
	}
	if !review.Status.Allowed {
		return fmt.Errorf("the server may not %s %s.%s: set the chart's value store.type=cluster, which gives the permissions", verb, resource, GroupVersion.Group)
	}
	return nil
}
