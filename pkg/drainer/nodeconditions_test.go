// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A node in service must not say for good that it is in maintenance.
func TestConditionsThatCannotBeClearedAreClearedLater(t *testing.T) {
	tests := map[string]struct {
		node    *corev1.Node
		end     func(*cluster)
		restart bool
	}{
		"deleted":             {node: makeNode(testNode), end: func(c *cluster) { c.delete("a") }},
		"deleted, restarted":  {node: makeNode(testNode), end: func(c *cluster) { c.delete("a") }, restart: true},
		"idle":                {node: makeNode(testNode), end: func(c *cluster) { c.change("a", stage(v1beta1.StageIdle)) }},
		"idle, restarted":     {node: makeNode(testNode), end: func(c *cluster) { c.change("a", stage(v1beta1.StageIdle)) }, restart: true},
		"another's taint too": {node: makeNode(testNode, tainted(v1beta1.DrainTaint)), end: func(c *cluster) { c.delete("a") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, test.node) }, func(c *cluster) {
				c.create(makeHold("a"))
				c.kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
					return action.GetSubresource() == "status", nil, apierrors.NewInternalError(errors.New("etcd is slow"))
				})
				test.end(c)
				c.wait(time.Minute)
				if name != "another's taint too" {
					c.wantCordoned(testNode, false)
				}
				if len(ourConditions(c.node(testNode))) == 0 {
					t.Fatal("the conditions were cleared all the same")
				}
				if test.restart {
					c.stop()
					c.start()
				}
				dropReactor(&c.kube.Fake)
				c.wait(time.Minute)
				if left := ourConditions(c.node(testNode)); len(left) > 0 {
					t.Errorf("the node still says %v", left)
				}
			})
		})
	}
}
