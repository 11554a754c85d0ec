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
)

// createCase has many clients create objects side by side: NodeMaintenances of
// stage Idle, for nodes that are not there, and ConfigMaps.
type createCase struct{ creates, clients int }

// The kinds whose creation is measured.
const (
	kindMaintenance = "NodeMaintenance"
	kindConfigMap   = "ConfigMap"
)

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
	latencies := map[string][]time.Duration{}
	kinds := []string{kindConfigMap, kindMaintenance}
	for round := range b.options.rounds {
		for turn := range kinds {
			kind := kinds[(turn+round)%len(kinds)]
			names := c.names(round)
			took, err := c.create(ctx, creators, kind, names)
			if err != nil {
				return fmt.Errorf("could not create %ss: %w", kind, err)
			}
			latencies[kind] = append(latencies[kind], took...)
			if kind == kindMaintenance {
				if err := t.giveBack(ctx, names); err != nil {
					return err
				}
			}
		}
	}
	printCreates(kinds, latencies)
	return nil
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

func (c *createCase) names(round int) []string {
	names := make([]string, 0, c.creates)
	for i := range c.creates {
		names = append(names, fmt.Sprintf("dry-%d-%d", round, i))
	}
	return names
}

// create returns how long each create took. Every client makes its share, one
// after the other.
func (c *createCase) create(ctx context.Context, creators []creator, kind string, names []string) ([]time.Duration, error) {
	took := make([]time.Duration, len(names))
	numbers := make([]int, len(creators))
	for i := range numbers {
		numbers[i] = i
	}
	return took, inParallel(numbers, len(numbers), func(client int) error {
		for i := client; i < len(names); i += len(creators) {
			begin := time.Now()
			if err := creators[client].create(ctx, kind, names[i]); err != nil {
				return err
			}
			took[i] = time.Since(begin)
		}
		return nil
	})
}

func (r creator) create(ctx context.Context, kind, name string) error {
	if kind == kindConfigMap {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"node": name, "reason": "benchmark"}}
		_, err := r.kube.CoreV1().ConfigMaps(r.namespace).Create(ctx, object, metav1.CreateOptions{})
		return err
	}
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: name, Reason: "benchmark", Stage: v1beta1.StageIdle},
	}
	_, err := r.maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, hold, metav1.CreateOptions{})
	return err
}

func printCreates(kinds []string, latencies map[string][]time.Duration) {
	fmt.Println("| kind | creates | p50 | p99 | most |")
	fmt.Println("|---|---|---|---|---|")
	for _, kind := range kinds {
		took := latencies[kind]
		fmt.Printf("| %s | %d | %s | %s | %s |\n", kind, len(took),
			milliseconds(quantile(took, 0.5)), milliseconds(quantile(took, 0.99)), milliseconds(quantile(took, 1)))
	}
	fmt.Println()
	for _, share := range []float64{0.5, 0.99} {
		ratio := float64(quantile(latencies[kindMaintenance], share)) / float64(quantile(latencies[kindConfigMap], share))
		fmt.Printf("- %s / %s, p%.0f: %.2f\n", kindMaintenance, kindConfigMap, share*100, ratio)
	}
}
