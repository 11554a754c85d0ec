// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// DefaultInterval is the time between two polls. EC2 lets an account ask 20 times a second and region in the long run, and
// others ask, too: a poll of 5,000 nodes is 50 requests. AWS announces events hours or days before.
const DefaultInterval = time.Minute

// Config is what a Collector is made from.
type Config struct {
	// Source is who is asked.
	Source source.Source
	// Name is the spec.source of its events, and what their names begin with.
	Name string
	// Maintenance is a client of this server, as the server itself.
	Maintenance versioned.Interface
	// Interval is the time between two polls. Up to a tenth of it is added by chance.
	Interval time.Duration
	// Clock tells the time.
	Clock clock.Clock
}

// Collector keeps the ScheduledEvents of a source as it tells them. Use New, once for each term of leading.
type Collector struct {
	config Config
	events typed.ScheduledEventInterface
	// missing are those that were missing in the last poll, and since when. A new Collector begins to count anew.
	missing map[string]time.Time
	// toldAgain are those that the log has said are told again.
	toldAgain sets.Set[string]
	// polled are the regions that metrics tell of.
	polled sets.Set[string]
}

// New returns a Collector that has not asked anything.
func New(config Config) *Collector {
	registerMetrics()
	return &Collector{config: config, events: config.Maintenance.MaintenanceV1beta1().ScheduledEvents()}
}

// Run asks again and again until ctx is done.
func (c *Collector) Run(ctx context.Context) {
	logger := klog.FromContext(ctx).WithName("collector").WithValues("source", c.config.Name)
	ctx = klog.NewContext(ctx, logger)
	defer c.tellNothing()
	failures.WithLabelValues(c.config.Name).Add(0) // there before its first event
	integrations.Loop(ctx, c.config.Clock, c.config.Interval, func(ctx context.Context) (waits bool) {
		if err := c.poll(ctx); err != nil && ctx.Err() == nil {
			failures.WithLabelValues(c.config.Name).Inc()
			logger.Error(err, "Could not store what a cloud has announced")
		}
		return false
	})
}

// poll asks once, and stores what has changed.
func (c *Collector) poll(ctx context.Context) error {
	answer, err := c.config.Source.Events(ctx)
	if err != nil {
		return fmt.Errorf("could not ask for events: %w", err)
	}
	c.report(ctx, answer)
	stored, err := c.events.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not list the ScheduledEvents: %w", err)
	}
	changes := decide(facts{source: c.config.Name, stored: stored.Items, answer: answer, missing: c.missing, now: c.config.Clock.Now()})
	c.missing = changes.missing
	c.reportToldAgain(ctx, changes.toldAgain)
	return errors.Join(append(changes.refused, c.write(ctx, changes)...)...)
}

// write carries out the changes. One that fails keeps no other from being made, and is made by a later poll.
func (c *Collector) write(ctx context.Context, changes changes) (errs []error) {
	for _, event := range changes.create {
		if _, err := c.events.Create(ctx, event, metav1.CreateOptions{}); err != nil {
			errs = append(errs, fmt.Errorf("could not create ScheduledEvent %s: %w", event.Name, err))
			continue
		}
		c.said(ctx, "An event was announced", event)
	}
	for _, event := range changes.update {
		_, err := c.events.Update(ctx, event, metav1.UpdateOptions{})
		switch {
		case apierrors.IsConflict(err), apierrors.IsNotFound(err): // somebody was faster: the next poll sees
		case err != nil:
			errs = append(errs, fmt.Errorf("could not update ScheduledEvent %s: %w", event.Name, err))
		default:
			c.said(ctx, "An event has changed", event)
		}
	}
	return errs
}

// said logs what a source has said of an event.
func (c *Collector) said(ctx context.Context, what string, event *v1beta1.ScheduledEvent) {
	klog.FromContext(ctx).Info(what, "scheduledEvent", event.Name, "code", event.Spec.Code, "instance", event.Spec.InstanceID,
		"state", event.Spec.State, "notBefore", event.Spec.NotBefore)
}
