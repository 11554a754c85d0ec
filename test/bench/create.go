// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// createCase has many clients create objects side by side: ConfigMaps, and holds of
// stage Idle on nodes that are not there, in each way that a hold is created.
type createCase struct{ creates, clients int }

// creation is one kind of request that is measured.
type creation struct {
	label string
	// rehearse makes the request as a dry run before, so that the right to make it is
	// known when it is measured; an access review is remembered for 10 seconds.
	rehearse bool
	create   func(ctx context.Context, r creator, name string, options metav1.CreateOptions) error
	// stored is what the object is called; nil where nothing needs to be given back.
	stored func(name string) string
}

// creations are what is measured; the others are compared with the first.
func (*createCase) creations(requestor string) []creation {
	named := func(name string) string { return name }
	ofNode := func(name string) string { return nodemaintenance.HoldName(name, requestor) }
	return []creation{
		{label: "ConfigMap", create: createConfigMap},
		{label: "NodeMaintenance", create: createHold, stored: named},
		{label: "nodes/maintenance", create: createThroughNode, stored: ofNode},
		{label: "nodes/maintenance, right known", rehearse: true, create: createThroughNode, stored: ofNode},
	}
}

// creator is one client, with a connection of its own.
type creator struct {
	maintenance versioned.Interface
	kube        kubernetes.Interface
	namespace   string
}

func (*createCase) name() string { return "create" }

func (c *createCase) title() string {
	return fmt.Sprintf("create: %d objects of each kind, %d clients side by side", c.creates, c.clients)
}

func (c *createCase) measure(ctx context.Context, b *bench) error {
	w := &workload{kube: b.kube, namespace: b.namespace(c.name())}
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	t := b.tools[toolOurs].(*ours)
	creators, err := c.creators(ctx, t.config, w.namespace)
	if err != nil {
		return err
	}
	creations := c.creations(serviceAccountUser(toolsNamespace, toolOurs))
	latencies := make([][]time.Duration, len(creations))
	for round := range b.options.rounds {
		for turn := range creations {
			i := (turn + round) % len(creations)
			took, err := c.round(ctx, t, creators, creations[i], c.names(round, i))
			if err != nil {
				return fmt.Errorf("could not measure the creation of %s: %w", creations[i].label, err)
			}
			latencies[i] = append(latencies[i], took...)
		}
	}
	printCreates(creations, latencies)
	return nil
}

// round measures one kind once, and removes what it created.
func (c *createCase) round(ctx context.Context, t *ours, creators []creator, what creation, names []string) ([]time.Duration, error) {
	if what.rehearse {
		if _, err := c.create(ctx, creators, what, names, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			return nil, err
		}
	}
	took, err := c.create(ctx, creators, what, names, metav1.CreateOptions{})
	if err != nil || what.stored == nil {
		return took, err
	}
	stored := make([]string, 0, len(names))
	for _, name := range names {
		stored = append(stored, what.stored(name))
	}
	return took, t.giveBack(ctx, stored)
}

// creators have their connections opened before anything is measured.
func (c *createCase) creators(ctx context.Context, config *rest.Config, namespace string) ([]creator, error) {
	creators := make([]creator, 0, c.clients)
	for range c.clients {
		own := rest.CopyConfig(config)
		own.Dial = (&net.Dialer{}).DialContext // with a dialer of its own, a client shares no connection
		maintenance, err := versioned.NewForConfig(own)
		if err != nil {
			return nil, fmt.Errorf("could not create a client: %w", err)
		}
		kube, err := kubernetes.NewForConfig(own)
		if err != nil {
			return nil, fmt.Errorf("could not create a client: %w", err)
		}
		creators = append(creators, creator{maintenance: maintenance, kube: kube, namespace: namespace})
	}
	return creators, inParallel(creators, len(creators), func(r creator) error {
		if _, err := r.kube.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("could not list ConfigMaps: %w", err)
		}
		if _, err := r.maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("could not list NodeMaintenances: %w", err)
		}
		return nil
	})
}

func (c *createCase) names(round, kind int) []string {
	names := make([]string, 0, c.creates)
	for i := range c.creates {
		names = append(names, fmt.Sprintf("dry-%d-%d-%d", round, kind, i))
	}
	return names
}

// create returns how long each create took. Every client makes its share, one
// after the other.
func (c *createCase) create(ctx context.Context, creators []creator, what creation, names []string, options metav1.CreateOptions) ([]time.Duration, error) {
	took := make([]time.Duration, len(names))
	numbers := make([]int, len(creators))
	for i := range numbers {
		numbers[i] = i
	}
	return took, inParallel(numbers, len(numbers), func(client int) error {
		for i := client; i < len(names); i += len(creators) {
			begin := time.Now()
			if err := what.create(ctx, creators[client], names[i], options); err != nil {
				return err
			}
			took[i] = time.Since(begin)
		}
		return nil
	})
}

func createConfigMap(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"node": name, "reason": "benchmark"}}
	_, err := r.kube.CoreV1().ConfigMaps(r.namespace).Create(ctx, object, options)
	return err
}

func createHold(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: name, Reason: "benchmark", Stage: v1beta1.StageIdle},
	}
	_, err := r.maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, hold, options)
	return err
}

func createThroughNode(ctx context.Context, r creator, name string, options metav1.CreateOptions) error {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{Reason: "benchmark", Stage: v1beta1.StageIdle}}
	_, err := r.maintenance.MaintenanceV1beta1().NodeStates().CreateMaintenance(ctx, name, hold, options)
	return err
}

func printCreates(creations []creation, latencies [][]time.Duration) {
	fmt.Println("| kind | creates | p50 | p99 | most |")
	fmt.Println("|---|---|---|---|---|")
	for i, what := range creations {
		took := latencies[i]
		fmt.Printf("| %s | %d | %s | %s | %s |\n", what.label, len(took),
			milliseconds(quantile(took, 0.5)), milliseconds(quantile(took, 0.99)), milliseconds(quantile(took, 1)))
	}
	fmt.Println()
	for i, what := range creations[1:] {
		for _, share := range []float64{0.5, 0.99} {
			ratio := float64(quantile(latencies[i+1], share)) / float64(quantile(latencies[0], share))
			fmt.Printf("- %s / %s, p%.0f: %.2f\n", what.label, creations[0].label, share*100, ratio)
		}
	}
}
