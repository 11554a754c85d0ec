// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// slowGate takes its time for each answer.
type slowGate struct{ *fakeGate }

func (g slowGate) Acquire(ctx context.Context, _ *corev1.Node, _ []*v1beta1.NodeMaintenance) (Verdict, error) {
	<-ctx.Done()
	return Verdict{}, ctx.Err()
}

// Many nodes that are slow keep a heartbeat waiting in the queue for long. They are no reason for a restart.
func TestSlowNodesAreHealthy(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t)
		for i := range workers * 10 {
			name := fmt.Sprintf("worker-%d", i)
			c.Add(drainertest.Node{Name: name}.Object(), drainertest.Hold{Name: name, Node: name}.Object())
		}
		c.config.Gates = []Gate{slowGate{&fakeGate{cluster: c}}}
		return c
	}, func(c *cluster) {
		for range 20 {
			c.wait(30 * time.Second)
			if err := c.drainer.Healthy(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
