// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws/ec2test"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// waitForEvent waits until the machine's event is as it is wanted.
func waitForEvent(t *testing.T, e *env.Env, m machine, what string, check func(*v1beta1.ScheduledEvent) (wrong string)) *v1beta1.ScheduledEvent {
	t.Helper()
	var event *v1beta1.ScheduledEvent
	env.Eventually(t, what, func(ctx context.Context) string {
		var err error
		if event, err = e.Maintenance.MaintenanceV1beta1().ScheduledEvents().Get(ctx, "aws."+m.event, metav1.GetOptions{}); err != nil {
			return err.Error()
		}
		return check(event)
	})
	return event
}

// waitForState waits until the machine's event has the state.
func waitForState(t *testing.T, e *env.Env, m machine, want v1beta1.ScheduledEventState) *v1beta1.ScheduledEvent {
	t.Helper()
	return waitForEvent(t, e, m, "the event is "+string(want), func(event *v1beta1.ScheduledEvent) string {
		if event.Spec.State != want {
			return "it is " + string(event.Spec.State)
		}
		return ""
	})
}

// waitForPolls waits until the machine's region was asked a few times more.
func waitForPolls(t *testing.T, m machine, more int) {
	t.Helper()
	asked := func() (times int) {
		for _, request := range cloud.Requests() {
			if request.Region == m.region {
				times++
			}
		}
		return times
	}
	before := asked()
	env.Eventually(t, "the region is asked again", func(context.Context) string {
		if now := asked(); now < before+more {
			return fmt.Sprintf("it was asked %d times", now-before)
		}
		return ""
	})
}

// An event appears, is put off, and is over.
func TestEvent(t *testing.T) {
	t.Parallel()
	pool, machines := newMachines(t, 1)
	m := machines[0]
	m.tell(m.reboot(100), ec2test.Event{ID: m.event + "f", Code: "instance-stop", Description: "[Completed] long ago", NotBefore: inHours(-9)})
	event := waitForEvent(t, pool.Env, m, "the event is announced", func(event *v1beta1.ScheduledEvent) string {
		return cmp.Or(has("notBefore", event.Spec.NotBefore, inHours(100)), has("notAfter", event.Spec.NotAfter, inHours(102)), has("deadline", event.Spec.Deadline, inHours(300)))
	})
	if s := event.Spec; s.Source != "aws" || s.EventID != m.event || s.Code != "system-reboot" || s.InstanceID != m.instance || s.NodeName != "" || s.Description != "scheduled reboot" {
		t.Errorf("got %+v", s)
	}
	_, err := pool.Maintenance.MaintenanceV1beta1().ScheduledEvents().Get(t.Context(), "aws."+m.event+"f", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the event that is over was created (%v)", err)
	}
	m.tell(m.reboot(150))
	waitForEvent(t, pool.Env, m, "the event is put off", func(event *v1beta1.ScheduledEvent) string {
		return has("notBefore", event.Spec.NotBefore, inHours(150))
	})
	over := m.reboot(150)
	over.Description = "[Completed] " + over.Description
	m.tell(over)
	if event := waitForState(t, pool.Env, m, v1beta1.EventCompleted); event.Spec.Description != "scheduled reboot" {
		t.Errorf("the description is %q", event.Spec.Description)
	}
}

// An event that EC2 leaves out for a moment stays as it is, whether or not its time has come, or its instance is gone.
func TestEventThatIsNotTold(t *testing.T) {
	t.Parallel()
	pool, machines := newMachines(t, 3)
	early, late, gone := machines[0], machines[1], machines[2]
	early.tell(early.reboot(100))
	late.tell(late.reboot(-1))
	gone.tell(gone.reboot(100))
	for _, m := range machines {
		waitForState(t, pool.Env, m, v1beta1.EventScheduled)
	}
	early.tell()
	late.tell()
	cloud.Remove(gone.region, gone.instance)
	for _, m := range machines {
		waitForPolls(t, m, 4)
		waitForState(t, pool.Env, m, v1beta1.EventScheduled)
	}
}

// A region that fails keeps no other from being heard, and ends no event.
func TestRegionFails(t *testing.T) {
	t.Parallel()
	pool, machines := newMachines(t, 2)
	failing, good := machines[0], machines[1]
	failing.tell(failing.reboot(100))
	good.tell(good.reboot(100))
	waitForState(t, pool.Env, failing, v1beta1.EventScheduled)
	waitForState(t, pool.Env, good, v1beta1.EventScheduled)
	cloud.Trouble(failing.region, ec2test.Denied, -1)
	canceled := failing.reboot(100)
	canceled.Description = "[Canceled] " + canceled.Description
	failing.tell(canceled)
	waitForPolls(t, failing, 3)
	waitForMetric(t, pool.Env, `maintenance_event_polls_total{region="`+failing.region+`",result="failure",source="aws"}`)
	good.tell(good.reboot(150))
	waitForEvent(t, pool.Env, good, "the other region is heard", func(event *v1beta1.ScheduledEvent) string {
		return has("notBefore", event.Spec.NotBefore, inHours(150))
	})
	waitForState(t, pool.Env, failing, v1beta1.EventScheduled)
	waitForMetric(t, pool.Env, `maintenance_event_last_poll_timestamp_seconds{region="`+good.region+`",source="aws"}`)
	cloud.Trouble(failing.region, ec2test.None, 0)
	waitForState(t, pool.Env, failing, v1beta1.EventCanceled)
}

// waitForMetric waits until the server has the metric.
func waitForMetric(t *testing.T, e *env.Env, want string) {
	t.Helper()
	env.Eventually(t, "the server has the metric "+want, func(context.Context) string {
		all := e.Kubectl().Must(t, "", "get", "--raw", "/metrics", "--server=https://"+e.Server.Address(), "--insecure-skip-tls-verify")
		if !strings.Contains(all, want) {
			return "it has not"
		}
		return ""
	})
}

// What EC2 tells is EC2's: people cannot change it, and nothing is written while EC2 tells the same.
func TestOnlyTheServerWrites(t *testing.T) {
	t.Parallel()
	pool, machines := newMachines(t, 1)
	m := machines[0]
	m.tell(m.reboot(100))
	before := waitForState(t, pool.Env, m, v1beta1.EventScheduled)
	events := pool.Maintenance.MaintenanceV1beta1().ScheduledEvents()
	_, err := events.Patch(t.Context(), before.Name, types.MergePatchType, []byte(`{"spec":{"notBefore":null}}`), metav1.PatchOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want that people may not change what EC2 tells", err)
	}
	waitForPolls(t, m, 4)
	if after := waitForState(t, pool.Env, m, v1beta1.EventScheduled); after.Generation != before.Generation || after.UID != before.UID {
		t.Errorf("the event was written: %+v", after)
	}
}

// The server has no calls of EC2 but the one that it makes: all of them are 34 MB. With the race detector it has them.
func TestOnlyOneCallIsLinked(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(env.Current(t).PlainServerBinary())
	if err != nil {
		t.Fatal(err)
	}
	const calls = "github.com/aws/aws-sdk-go-v2/service/ec2.(*Client)."
	if !bytes.Contains(program, []byte(calls+"DescribeInstanceStatus")) || bytes.Contains(program, []byte(calls+"RunInstances")) {
		t.Error("the program has not the call DescribeInstanceStatus alone: the client must not get into an interface, see batch.go of pkg/cloudevents/source/aws")
	}
}
