// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Timeout is how long tests wait for what should come soon; it allows for a
// loaded machine and the race detector, also while a server starts anew.
const Timeout = 2 * time.Minute

// EventsTimeout is Timeout for events. The server writes them one after another, and each that it could not write
// a while later. So those of all tests that share a control plane wait for one another.
const EventsTimeout = 5 * time.Minute

const pollInterval = 100 * time.Millisecond

// Eventually waits until check returns "", which otherwise is what is still
// wrong, and fails the test with that after Timeout.
func Eventually(t *testing.T, what string, check func(ctx context.Context) (wrong string)) {
	t.Helper()
	EventuallyWithin(t, Timeout, what, check)
}

// EventuallyWithin is Eventually with another timeout.
func EventuallyWithin(t *testing.T, timeout time.Duration, what string, check func(ctx context.Context) (wrong string)) {
	t.Helper()
	wrong := "it could not be checked in time"
	err := wait.PollUntilContextTimeout(t.Context(), pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		if found := check(ctx); ctx.Err() == nil || found == "" {
			wrong = found // not what is wrong because the time is over
		}
		return wrong == "", nil
	})
	if err != nil {
		t.Fatalf("%s: not within %s: %s", what, timeout, wrong)
	}
}

// Always checks for a while that something stays as it is.
func Always(t *testing.T, duration time.Duration, what string, check func(ctx context.Context) (wrong string)) {
	t.Helper()
	deadline := time.Now().Add(duration)
	for time.Now().Before(deadline) {
		if wrong := check(t.Context()); wrong != "" {
			t.Fatalf("%s: %s", what, wrong)
		}
		time.Sleep(pollInterval)
	}
}

// WaitForHold waits until check accepts the NodeMaintenance, and returns it.
func (e *Env) WaitForHold(t *testing.T, name, what string, check func(nm *v1beta1.NodeMaintenance) bool) *v1beta1.NodeMaintenance {
	t.Helper()
	var last *v1beta1.NodeMaintenance
	Eventually(t, what, func(ctx context.Context) string {
		nm, err := e.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if last = nm; check(nm) {
			return ""
		}
		return describe(nm)
	})
	return last
}

// WaitForEvent waits until the server has written a Kubernetes event of a reason about an object without a namespace, whose
// message has all these words.
func (e *Env) WaitForEvent(t *testing.T, kind, object, reason string, words ...string) {
	t.Helper()
	EventuallyWithin(t, EventsTimeout, "an event tells of "+reason+" of "+kind+" "+object, func(ctx context.Context) string {
		list, err := e.Kube.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + object})
		if err != nil {
			return err.Error()
		}
		var seen []string
		for _, event := range list.Items {
			lacks := func(text string) bool { return !strings.Contains(event.Message, text) }
			if event.Reason == reason && !slices.ContainsFunc(words, lacks) {
				return ""
			}
			seen = append(seen, event.Reason+": "+event.Message)
		}
		return fmt.Sprintf("want %q in one of %q", words, seen)
	})
}
