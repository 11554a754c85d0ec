// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package collect tests on a real control plane that the server makes ScheduledEvents of what EC2 announces, which a stand-in
// for EC2 speaks for. Each test has nodes, instances and regions of its own.
package collect

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws/ec2test"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// interval is the time between two polls of the server.
const interval = time.Second

// cloud is the EC2 that the server asks.
var cloud *ec2test.Server

func TestMain(m *testing.M) {
	cloud = ec2test.Start()
	options := env.ServerOptions()
	options.ExtraArgs = []string{"--cloud-events=aws", "--cloud-events-interval=" + interval.String(), "--cloud-events-endpoint=" + cloud.URL()}
	options.Env = append(options.Env, "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret", "AWS_EC2_METADATA_DISABLED=true")
	code := env.MainWith(m, options)
	cloud.Close()
	os.Exit(code)
}

// numbers are those of the instances and the regions that tests have.
var numbers atomic.Int64

// machine is a node that is an instance.
type machine struct {
	node, instance, region string
	// event is the id of an event of the instance.
	event string
}

// newMachines returns nodes that are instances, one each in a region of its own.
func newMachines(t *testing.T, count int) (*env.Pool, []machine) {
	t.Helper()
	pool := env.Current(t).NewPool(t, count)
	machines := make([]machine, 0, count)
	for _, node := range pool.Nodes {
		number := numbers.Add(1)
		m := machine{
			node: node, instance: fmt.Sprintf("i-%017x", number), region: fmt.Sprintf("test-%s-1", string(rune('a'+number))),
			event: fmt.Sprintf("instance-event-%017x", number),
		}
		m.tell()
		patch := fmt.Sprintf(`{"spec":{"providerID":"aws:///%sa/%s"}}`, m.region, m.instance)
		if _, err := pool.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	return pool, machines
}

// tell has EC2 tell these events of the instance, and no others.
func (m machine) tell(events ...ec2test.Event) { cloud.Put(m.region, m.instance, events...) }

// reboot is an event of the instance that begins in some hours.
func (m machine) reboot(hours int) ec2test.Event {
	return ec2test.Event{
		ID: m.event, Code: "system-reboot", Description: "scheduled reboot", NotBefore: inHours(hours), NotAfter: inHours(hours + 2), Deadline: inHours(hours + 200),
	}
}

// started is the time when the tests have started.
var started = time.Now().UTC().Truncate(time.Second)

func inHours(hours int) time.Time { return started.Add(time.Duration(hours) * time.Hour) }

// has says what differs between a stored time and a wanted one.
func has(what string, stored *metav1.Time, want time.Time) string {
	if stored == nil || !stored.Time.Equal(want) {
		return fmt.Sprintf("%s is %v, want %s", what, stored, want)
	}
	return ""
}
