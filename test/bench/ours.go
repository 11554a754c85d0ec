// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// ours drains by creating NodeMaintenances through the aggregator.
type ours struct {
	config *rest.Config
	client versioned.Interface
	// watched tells how the NodeMaintenances fare.
	watched watch.Interface
}

// user is the server: what it asks of kube-apiserver is what a drain costs.
func (*ours) user() string { return serverUser() }

// prepare opens the watch that tells when a node is drained.
func (o *ours) prepare(ctx context.Context, _ *workload, _ []string) (err error) {
	if o.watched, err = o.holds().Watch(ctx, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not watch NodeMaintenances: %w", err)
	}
	return nil
}

func (o *ours) holds() typedv1beta1.NodeMaintenanceInterface {
	return o.client.MaintenanceV1beta1().NodeMaintenances()
}

func (o *ours) drain(ctx context.Context, nodes []string) (map[string]time.Time, error) {
	defer o.watched.Stop()
	if err := o.create(ctx, nodes); err != nil {
		return nil, err
	}
	return conditionTimes(ctx, o.watched, v1beta1.ConditionDrained, nodes)
}

// create asks for maintenance of all nodes at once.
func (o *ours) create(ctx context.Context, nodes []string) error {
	return inParallel(nodes, len(nodes), func(node string) error {
		hold := &v1beta1.NodeMaintenance{
			ObjectMeta: metav1.ObjectMeta{Name: node},
			Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Reason: "benchmark"},
		}
		if _, err := o.holds().Create(ctx, hold, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("could not create NodeMaintenance %s: %w", node, err)
		}
		return nil
	})
}

// conditionTimes returns when a condition of each node's NodeMaintenance, named
// like the node, was seen to be True.
func conditionTimes(ctx context.Context, watched watch.Interface, condition string, nodes []string) (map[string]time.Time, error) {
	times := map[string]time.Time{}
	err := onCondition(ctx, watched, condition, nodes, func(node string) { times[node] = time.Now() })
	return times, err
}

// onCondition calls met for each node when the condition of its NodeMaintenance, named like the node, is
// seen to be True, and returns after the last.
func onCondition(ctx context.Context, watched watch.Interface, condition string, nodes []string, met func(node string)) error {
	left := sets.New(nodes...)
	for left.Len() > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("could not wait for condition %s of %v: %w", condition, sets.List(left), ctx.Err())
		case event, open := <-watched.ResultChan():
			if !open {
				return fmt.Errorf("the watch ended before condition %s of %v", condition, sets.List(left))
			}
			hold, isHold := event.Object.(*v1beta1.NodeMaintenance)
			if isHold && left.Has(hold.Name) && meta.IsStatusConditionTrue(hold.Status.Conditions, condition) {
				left.Delete(hold.Name)
				met(hold.Name)
			}
		}
	}
	return nil
}

// giveBack deletes the NodeMaintenances that exist, and waits until they are gone.
func (o *ours) giveBack(ctx context.Context, nodes []string) error {
	return inParallel(nodes, setUpParallel, func(node string) error {
		err := o.holds().Delete(ctx, node, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("could not delete NodeMaintenance %s: %w", node, err)
		}
		err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
			_, err := o.holds().Get(ctx, node, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return true, nil
			}
			return false, err
		})
		if err != nil {
			return fmt.Errorf("could not wait for NodeMaintenance %s to be gone: %w", node, err)
		}
		return nil
	})
}
