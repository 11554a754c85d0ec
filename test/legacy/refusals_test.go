// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// What the operators' webhook refused is refused, in its words.
func TestRefusals(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 2, func(t *testing.T, u *user) {
		node, other := u.Nodes[0], u.Nodes[1]
		name := u.apply(t, node)
		for what, tc := range map[string]struct {
			manifest string
			command  []string
			want     string
		}{
			"unknown node": {
				manifest: u.manifest("unknown-"+node, "absent-"+node, "test"), command: []string{"apply", "-f", "-"},
				want: "invalid nodeName, no node with name absent-" + node + " found\n",
			},
			"second for a node": {
				manifest: u.manifest("second-"+node, node, "test"), command: []string{"apply", "-f", "-"},
				want: "invalid nodeName, a NodeMaintenance for node " + node + " already exists\n",
			},
			"another node": {
				manifest: u.manifest(name, other, "test"), command: []string{"apply", "-f", "-"},
				want: "updating spec.NodeName isn't allowed\n",
			},
			"another node by patch": {
				command: []string{"patch", u.resource(), name, "--type=merge", "-p", `{"spec":{"nodeName":"` + other + `"}}`},
				want:    "updating spec.NodeName isn't allowed\n",
			},
		} {
			t.Run(what, func(t *testing.T) {
				got := u.Kubectl().Try(t, tc.manifest, tc.command...)
				if got.Code != 1 || !strings.HasSuffix(got.Stderr, tc.want) || !strings.Contains(got.Stderr, "Forbidden") {
					t.Errorf("exit code %d, %q; want a refusal that ends with %q", got.Code, got.Stderr, tc.want)
				}
			})
		}
	})
}

// Without a webhook, the operators' CRD took a NodeMaintenance without a node, which nobody could delete.
func TestNoNode(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 0, func(t *testing.T, u *user) {
		for what, manifest := range map[string]string{
			"empty":   u.manifest(u.Name, `""`, "test"),
			"missing": fmt.Sprintf("apiVersion: %s\nkind: NodeMaintenance\nmetadata: {name: %s}\nspec: {reason: test}\n", u.GroupVersion, u.Name),
		} {
			got := u.Kubectl().Try(t, manifest, "create", "--validate=false", "-f", "-")
			if got.Code != 1 || !strings.Contains(got.Stderr, "nodeName") {
				t.Errorf("%s: exit code %d, %q; want a refusal that names nodeName", what, got.Code, got.Stderr)
			}
		}
	})
}

// A node that is held through our group or through another old one cannot be held again through an old
// one. Through our group it can.
func TestSecondHoldAcrossGroups(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		u.Create(t, u.Hold("ours", node))
		want := "invalid nodeName, a NodeMaintenance for node " + node + " already exists"
		for _, g := range groups {
			got := u.Kubectl().Try(t, g.manifest("second-"+node, node, "test"), "create", "-f", "-")
			if got.Code != 1 || !strings.Contains(got.Stderr, want) {
				t.Errorf("%s: exit code %d, %q; want %q", g.Group, got.Code, got.Stderr, want)
			}
		}
		u.Create(t, u.Hold("another", node))
	})
}

// Of many creates for one node at once, through all old groups, one is accepted.
func TestCreatesAtOnce(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node := pool.Nodes[0]
	want := "invalid nodeName, a NodeMaintenance for node " + node + " already exists"
	var clients []*client
	for _, g := range groups {
		clients = append(clients, newClient(t, g, pool.Cluster.Config()))
	}
	var accepted atomic.Int32
	var creating sync.WaitGroup
	for i := range 20 {
		creating.Go(func() {
			nm := &nodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", pool.Name, i)}, Spec: spec{NodeName: node}}
			_, err := clients[i%len(clients)].create(t.Context(), nm)
			if err == nil {
				accepted.Add(1)
				return
			}
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want %q", err, want)
			}
		})
	}
	creating.Wait()
	if got := accepted.Load(); got != 1 {
		t.Errorf("%d creates were accepted, want 1", got)
	}
}
