// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// The kinds that the others are compared with.
const (
	labelConfigMap = "ConfigMap"
	labelCustom    = "custom resource, webhook"
)

// creation is one kind of request that is measured.
type creation struct {
	label string
	// rehearse makes the request as a dry run before, so that the right to make it is
	// known when it is measured; an access review is remembered for 10 seconds.
	rehearse bool
	create   func(ctx context.Context, r creator, name string, options metav1.CreateOptions) error
	// remove removes everything that was created.
	remove func(ctx context.Context, names []string) error
}

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// newCreations are what is measured, in the order of the table.
func newCreations(b *bench, t *ours, custom *customResource, namespace string) []creation {
	user := serviceAccountUser(toolsNamespace, toolOurs)
	removeConfigMaps := func(ctx context.Context, _ []string) error {
		return b.kube.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	}
	removeThroughNode := func(ctx context.Context, nodes []string) error {
		names := make([]string, 0, len(nodes))
		for _, node := range nodes {
			names = append(names, v1beta1.HoldName(node, user))
		}
		return t.giveBack(ctx, names)
	}
	return []creation{
		{label: labelConfigMap, create: createConfigMap, remove: removeConfigMaps},
		{label: labelCustom, create: createCustom(user), remove: custom.removeObjects},
		{label: "NodeMaintenance", create: createHold, remove: t.giveBack},
		{label: "nodes/maintenance", create: createThroughNode, remove: removeThroughNode},
		{label: "nodes/maintenance, right known", rehearse: true, create: createThroughNode, remove: removeThroughNode},
	}
}

func createConfigMap(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"node": name, "reason": "benchmark"}}
	_, err := r.kube.CoreV1().ConfigMaps(r.namespace).Create(ctx, object, options)
	return err
}

// createCustom says who asks, since no webhook adds that.
func createCustom(requestor string) func(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	return func(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
		object := newHold(name)
		object.Spec.Requestor = requestor
		err := r.custom.Post().Resource(nodemaintenance.Plural).VersionedParams(&options, customParameters).Body(object).
			Do(ctx).Into(&v1beta1.NodeMaintenance{})
		if err != nil {
			return fmt.Errorf("could not create custom resource %s: %w", name, err)
		}
		return nil
	}
}

func createHold(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	_, err := r.maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, newHold(name), options)
	return err
}

func newHold(name string) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: name, Reason: "benchmark", Stage: v1beta1.StageIdle},
	}
}

func createThroughNode(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{Reason: "benchmark", Stage: v1beta1.StageIdle}}
	_, err := r.maintenance.MaintenanceV1beta1().NodeStates().CreateMaintenance(ctx, name, hold, options)
	return err
}
