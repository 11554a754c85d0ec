// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A process that leads again remembers nothing of the last time: another one may have given the node back meanwhile.
func TestNextTermRemembersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := drainertest.NewServer(drainertest.Hooks{})
		server.Add(drainertest.Lease{Holder: healthCheck, Renewed: time.Now(), Lasts: time.Hour}.Object())
		gate := New(Config{Kube: server.Kube, Form: Medik8s})
		lead := func(node *corev1.Node, want string) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			defer running.Wait()
			defer cancel()
			running.Go(func() { gate.Run(ctx, func(string) {}) })
			synctest.Wait()
			verdict, err := gate.Acquire(ctx, node, []*v1beta1.NodeMaintenance{drainertest.Hold{Name: "a"}.Object()})
			if err != nil || verdict.Wait == nil || verdict.Wait.Reason != want {
				t.Errorf("the gate says %+v, %v, want %s", verdict.Wait, err, want)
			}
		}
		lead(drainertest.Node{HoldsNote: `{"storeID":"store-1"}`}.Object(), v1beta1.ReasonLeaseLost)
		lead(drainertest.Node{}.Object(), v1beta1.ReasonLeaseHeld)
	})
}
