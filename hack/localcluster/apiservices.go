// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
