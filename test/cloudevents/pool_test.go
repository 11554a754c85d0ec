// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// pool is a test's nodes, and what it does to them. Each node has a boot ID, as kubelets report it.
type pool struct{ *env.Pool }

func newPool(t *testing.T, nodes int) *pool {
	t.Helper()
	t.Parallel()
	return poolOf(t, env.Current(t), nodes)
}

func poolOf(t *testing.T, e *env.Env, nodes int) *pool {
	t.Helper()
	p := &pool{Pool: e.NewPool(t, nodes)}
	for _, node := range p.Nodes {
		p.Boot(t, node, "first")
	}
	return p
}

func (p *pool) events() typed.ScheduledEventInterface {
	return p.Maintenance.MaintenanceV1beta1().ScheduledEvents()
}

// announce creates an event until the test's end, with a name in the pool.
func (p *pool) announce(t *testing.T, suffix string, spec v1beta1.ScheduledEventSpec) (name string) {
	t.Helper()
	event := &v1beta1.ScheduledEvent{ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + suffix}, Spec: spec}
	if _, err := p.events().Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create event %s: %v", event.Name, err)
	}
	p.removeAfter(t, event.Name)
	return event.Name
}

// removeAfter has the test's end delete events, and wait until they are gone.
func (p *pool) removeAfter(t *testing.T, names ...string) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
		defer cancel()
		for _, name := range names {
			if err := p.remove(ctx, name); err != nil {
				t.Errorf("could not delete event %s: %v", name, err)
			}
		}
	})
}

// remove deletes an event and waits until it is gone.
func (p *pool) remove(ctx context.Context, name string) error {
	err := p.events().Delete(ctx, name, metav1.DeleteOptions{})
	for err == nil {
		if _, err = p.events().Get(ctx, name, metav1.GetOptions{}); err != nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// change changes an event by a merge patch.
func (p *pool) change(t *testing.T, event, patch string) {
	t.Helper()
	if _, err := p.events().Patch(t.Context(), event, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not patch event %s: %v", event, err)
	}
}

// state says what the source says of an event now.
func (p *pool) state(t *testing.T, event string, state v1beta1.ScheduledEventState) {
	t.Helper()
	p.change(t, event, fmt.Sprintf(`{"spec":{"state":%q}}`, state))
}

// get returns an event as it is.
func (p *pool) get(t *testing.T, name string) *v1beta1.ScheduledEvent {
	t.Helper()
	event, err := p.events().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("could not get event %s: %v", name, err)
	}
	return event
}

// wait waits until check accepts the event, and returns it.
func (p *pool) wait(t *testing.T, name, what string, check func(event *v1beta1.ScheduledEvent) bool) *v1beta1.ScheduledEvent {
	t.Helper()
	return p.waitWithin(t, env.Timeout, name, what, check)
}

func (p *pool) waitWithin(t *testing.T, timeout time.Duration, name, what string, check func(event *v1beta1.ScheduledEvent) bool) *v1beta1.ScheduledEvent {
	t.Helper()
	var last *v1beta1.ScheduledEvent
	env.EventuallyWithin(t, timeout, name+": "+what, func(ctx context.Context) string {
		event, err := p.events().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if last = event; check(event) {
			return ""
		}
		status, _ := json.Marshal(event.Status)
		return string(status)
	})
	return last
}

// is waits until the event is in a phase.
func (p *pool) is(t *testing.T, name string, want v1beta1.ScheduledEventPhase) *v1beta1.ScheduledEvent {
	t.Helper()
	return p.wait(t, name, "it is "+string(want), func(event *v1beta1.ScheduledEvent) bool { return event.Status.Phase == want })
}

// blocked waits until the event says that a person has to do something, for that reason.
func (p *pool) blocked(t *testing.T, name, reason string, words ...string) *v1beta1.ScheduledEvent {
	t.Helper()
	event := p.wait(t, name, "it is blocked: "+reason, func(event *v1beta1.ScheduledEvent) bool {
		return isBlocked(event, reason)
	})
	message := apimeta.FindStatusCondition(event.Status.Conditions, v1beta1.ConditionBlocked).Message
	for _, word := range words {
		if !strings.Contains(message, word) {
			t.Errorf("%s: %q does not say %q", name, message, word)
		}
	}
	return event
}

func isBlocked(event *v1beta1.ScheduledEvent, reason string) bool {
	c := apimeta.FindStatusCondition(event.Status.Conditions, v1beta1.ConditionBlocked)
	return c != nil && c.Status == metav1.ConditionTrue && c.Reason == reason
}

// gone waits until there is no such event.
func (p *pool) gone(t *testing.T, name string) {
	t.Helper()
	env.Eventually(t, "event "+name+" is gone", func(ctx context.Context) string {
		event, err := p.events().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprint(event, err)
	})
}

// holdOf is the hold of an event.
func (p *pool) holdOf(ctx context.Context, event string) (*v1beta1.NodeMaintenance, error) {
	status, err := p.events().Get(ctx, event, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if status.Status.Maintenance == "" {
		return nil, fmt.Errorf("event %s has no hold", event)
	}
	return p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, status.Status.Maintenance, metav1.GetOptions{})
}
