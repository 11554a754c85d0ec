// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const (
	customGroup = "bench.example.com"
	customName  = nodemaintenance.Plural + "." + customGroup
)

var (
	customVersion    = schema.GroupVersion{Group: customGroup, Version: v1beta1.SchemeGroupVersion.Version}
	customScheme     = newCustomScheme()
	customParameters = runtime.NewParameterCodec(customScheme)

	definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// newCustomScheme has our types in the custom resource's group, so that a client for it
// encodes and decodes as ours does.
func newCustomScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(customVersion, &v1beta1.NodeMaintenance{}, &v1beta1.NodeMaintenanceList{})
	metav1.AddToGroupVersion(s, customVersion)
	return s
}

// customConfig is for clients of the custom resource.
func customConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.GroupVersion, config.APIPath = &customVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(customScheme).WithoutConversion()
	return config
}

// customResource is what a user would have without our server: a custom resource of the
// schema of NodeMaintenance, with a webhook that validates as our server does.
type customResource struct {
	bench   *bench
	objects dynamic.ResourceInterface
	webhook *webhook
}

// newCustomResource returns when objects of it can be created.
func newCustomResource(ctx context.Context, b *bench) (*customResource, error) {
	resource := customVersion.WithResource(nodemaintenance.Plural)
	c := &customResource{bench: b, objects: b.cluster.Dynamic().Resource(resource), webhook: newWebhook()}
	if err := c.install(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("could not install the custom resource: %w", err), c.remove(ctx))
	}
	return c, nil
}

func (c *customResource) install(ctx context.Context) error {
	object, err := holdSchema(ctx, c.bench.kube.Discovery())
	if err != nil {
		return err
	}
	if _, err := c.definitions().Create(ctx, definition(object), metav1.CreateOptions{}); err != nil {
		return err
	}
	hooks := c.bench.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := hooks.Create(ctx, c.webhook.configuration(), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := c.waitServed(ctx); err != nil {
		return err
	}
	return c.waitValidated(ctx)
}

func (c *customResource) definitions() dynamic.ResourceInterface {
	return c.bench.cluster.Dynamic().Resource(definitionsResource)
}

func definition(object map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": definitionsResource.GroupVersion().String(),
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": customName},
		"spec": map[string]any{
			"group": customGroup,
			"scope": "Cluster",
			"names": map[string]any{
				"kind": "NodeMaintenance", "listKind": "NodeMaintenanceList", "plural": nodemaintenance.Plural, "singular": "nodemaintenance",
			},
			"versions": []any{map[string]any{
				"name": customVersion.Version, "served": true, "storage": true,
				"schema":       map[string]any{"openAPIV3Schema": object},
				"subresources": map[string]any{"status": map[string]any{}},
			}},
		},
	}}
}

// waitServed waits until the custom resource can be listed.
func (c *customResource) waitServed(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := c.objects.List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}

// waitValidated waits until the webhook refuses what is not valid.
func (c *customResource) waitValidated(ctx context.Context) error {
	invalid := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": customVersion.String(), "kind": "NodeMaintenance",
		"metadata": map[string]any{"name": "invalid"}, "spec": map[string]any{"nodeName": "?"},
	}}
	return wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := c.objects.Create(ctx, invalid, metav1.CreateOptions{DryRun: dryRun.DryRun})
		return err != nil && c.webhook.refused.Load() > 0, nil
	})
}

func (c *customResource) removeObjects(ctx context.Context, _ []string) error {
	return c.objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// remove leaves nothing behind, even where the run was interrupted.
func (c *customResource) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	defer c.webhook.server.Close()
	for _, err := range []error{
		c.bench.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(ctx, webhookName, metav1.DeleteOptions{}),
		c.definitions().Delete(ctx, customName, metav1.DeleteOptions{}),
	} {
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("could not remove the custom resource: %w", err)
		}
	}
	return nil
}
