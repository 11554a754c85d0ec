// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper"
)

// serverAPIServices returns the APIServices that point to our server.
func (c *Cluster) serverAPIServices(ctx context.Context) ([]apiregistrationv1.APIService, error) {
	list, err := c.apiServices.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list APIServices: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(apiService apiregistrationv1.APIService) bool {
		service := apiService.Spec.Service
		return service == nil || service.Namespace != ServerNamespace || service.Name != ServerName
	}), nil
}

// removeOtherAPIServices removes the APIServices of groups that our server served before, and that are
// not among the objects. They would never become available, and discovery would fail.
func (c *Cluster) removeOtherAPIServices(ctx context.Context, objects []*unstructured.Unstructured) error {
	registered, err := c.serverAPIServices(ctx)
	if err != nil {
		return err
	}
	for i := range registered {
		name := registered[i].Name
		if slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
			return o.GetKind() == "APIService" && o.GetName() == name
		}) {
			continue
		}
		if err := c.apiServices.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("could not delete APIService %s: %w", name, err)
		}
	}
	return nil
}

// checkAllAvailable checks that the aggregator can reach our server for every group that it serves.
func (c *Cluster) checkAllAvailable(ctx context.Context) error {
	registered, err := c.serverAPIServices(ctx)
	if err != nil {
		return err
	}
	for i := range registered {
		if err := checkAvailable(&registered[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkDiscovered checks that kubectl finds the resources of our server. The aggregator learns of them some time after
// it has found the server available.
func (c *Cluster) checkDiscovered(ctx context.Context) error {
	registered, err := c.serverAPIServices(ctx)
	if err != nil {
		return err
	}
	client, is := c.client.Discovery().(discovery.AggregatedDiscoveryInterfaceWithContext)
	if !is {
		return fmt.Errorf("the client %T cannot list the resources of all groups", c.client.Discovery())
	}
	_, resources, failed, err := client.GroupsAndMaybeResourcesWithContext(ctx)
	if err != nil {
		return fmt.Errorf("could not list the resources of all groups: %w", err)
	}
	for i := range registered {
		version := schema.GroupVersion{Group: registered[i].Spec.Group, Version: registered[i].Spec.Version}
		if resources[version] == nil {
			return errors.Join(fmt.Errorf("the aggregator does not list the resources of %s yet", version), failed[version])
		}
	}
	return nil
}

// endpointsAnnotation is changed on the Service when the aggregator is to look at our server again.
const endpointsAnnotation = "localcluster/endpoints-changed"

// wakeAggregator has the aggregator look at our server within a second. In a real cluster it does so when the
// Service has new endpoints; an external name has none, and it would wait for up to 30 s.
func (c *Cluster) wakeAggregator(ctx context.Context) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, endpointsAnnotation, time.Now().Unix())
	_, err := c.client.CoreV1().Services(ServerNamespace).Patch(ctx, ServerName, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("could not have the aggregator look at our server: %w", err)
	}
	return nil
}

func checkAvailable(apiService *apiregistrationv1.APIService) error {
	available := helper.GetAPIServiceConditionByType(apiService, apiregistrationv1.Available)
	if available == nil {
		return fmt.Errorf("APIService %s has not been looked at yet", apiService.Name)
	}
	if available.Status != apiregistrationv1.ConditionTrue {
		return fmt.Errorf("APIService %s is not available: %s: %s", apiService.Name, available.Reason, available.Message)
	}
	return nil
}
