// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// clientLabel has the number of the client that created a hold.
	clientLabel = "test-client"
	// clientInterval is how often a client creates a hold.
	clientInterval = 1500 * time.Millisecond
	// clientInterest is how often it looks whether its watch does.
	clientInterest = 20 * time.Millisecond
)

// client creates and deletes holds and watches them, again and again, as a person does with kubectl. It
// tries no request again but as client-go does, and lists and watches again when a watch ends.
type client struct {
	pool   *env.Pool
	number int
	holds  typedv1beta1.NodeMaintenanceInterface

	mu       sync.Mutex
	present  map[string]bool // holds, as the watch shows them
	failures []string
	requests int
	watches  int
}

// newClient has connections of its own, and not those of the other clients.
func newClient(t *testing.T, pool *env.Pool, number int) *client {
	t.Helper()
	config := pool.Cluster.Config()
	config.Dial = (&net.Dialer{}).DialContext
	config.WarningHandler = rest.NoWarnings{} // that its node does not exist
	clientset, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &client{pool: pool, number: number, holds: clientset.MaintenanceV1beta1().NodeMaintenances(), present: map[string]bool{}}
}

// run goes on until ctx ends. A round that has begun ends in order.
func (c *client) run(ctx context.Context) {
	watched, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { c.watch(watched) })
	round := 0
	wait.JitterUntilWithContext(ctx, func(ctx context.Context) {
		round++
		c.createAndDelete(context.WithoutCancel(ctx), round)
	}, clientInterval, 1, false)
	unwatch()
	watching.Wait()
}

// createAndDelete creates a hold that is not to be drained, and deletes it.
func (c *client) createAndDelete(ctx context.Context, round int) {
	hold := c.pool.Hold(fmt.Sprintf("client-%d-%d", c.number, round), fmt.Sprintf("nowhere-%d", c.number))
	hold.Labels = map[string]string{clientLabel: fmt.Sprint(c.number)}
	hold.Spec.Stage = v1beta1.StageIdle
	_, err := c.holds.Create(ctx, hold, metav1.CreateOptions{})
	if c.note("create", err) {
		c.await(ctx, hold.Name, true)
		if c.note("delete", c.holds.Delete(ctx, hold.Name, metav1.DeleteOptions{})) {
			c.await(ctx, hold.Name, false)
		}
	}
}

// note counts a request and remembers its failure.
func (c *client) note(what string, err error) (succeeded bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if err != nil {
		c.failures = append(c.failures, fmt.Sprintf("%s client %d: %s: %v%v", time.Now().Format(time.TimeOnly+".000"), c.number, what, err, causes(err)))
	}
	return err == nil
}

// causes are what the aggregator says of an answer that is not one of the API.
func causes(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}

// await waits until the watch shows that a hold is there, or is not.
func (c *client) await(ctx context.Context, name string, present bool) {
	err := wait.PollUntilContextTimeout(ctx, clientInterest, env.Timeout, true, func(context.Context) (bool, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.present[name] == present, nil
	})
	if err != nil {
		c.note(fmt.Sprintf("watch shows that hold %s is there: %t", name, present), err)
	}
}

// watch lists and watches the client's holds until ctx ends.
func (c *client) watch(ctx context.Context) {
	for ctx.Err() == nil {
		list, err := c.holds.List(ctx, c.selected(""))
		if ctx.Err() != nil || !c.note("list", err) {
			continue
		}
		c.replace(list.Items)
		events, err := c.holds.Watch(ctx, c.selected(list.ResourceVersion))
		if ctx.Err() != nil || !c.note("watch", ifNotExpired(err)) || err != nil {
			continue
		}
		c.follow(ctx, events)
	}
}

func (c *client) selected(version string) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: fmt.Sprintf("%s=%d", clientLabel, c.number), ResourceVersion: version}
}

// ifNotExpired passes on what is not the usual reason to list again.
func ifNotExpired(err error) error {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return nil
	}
	return err
}

func (c *client) replace(holds []v1beta1.NodeMaintenance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches++
	clear(c.present)
	for i := range holds {
		c.present[holds[i].Name] = true
	}
}

func (c *client) follow(ctx context.Context, events watch.Interface) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events.ResultChan():
			if !open {
				return
			}
			if event.Type == watch.Error {
				c.note("watch", ifNotExpired(apierrors.FromObject(event.Object)))
				return
			}
			c.show(event)
		}
	}
}

func (c *client) show(event watch.Event) {
	if hold, ok := event.Object.(*v1beta1.NodeMaintenance); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.present[hold.Name] = event.Type != watch.Deleted
	}
}
