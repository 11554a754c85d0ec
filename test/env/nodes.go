// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// PoolLabel marks the nodes of one test with the test's own value, so that its
// pods can be kept to them.
const PoolLabel = "test-pool"

// Pool is a test's own nodes and namespace. All of it is removed at the test's end.
type Pool struct {
	*Env
	// Name is the pool's value of PoolLabel and its namespace.
	Name string
	// Nodes are the names of its nodes.
	Nodes []string
}

// NewPool gives the test some Ready nodes and a namespace of its own.
func (e *Env) NewPool(t *testing.T, nodes int) *Pool {
	t.Helper()
	p := &Pool{Env: e, Name: "t-" + rand.String(6)}
	for i := range nodes {
		p.Nodes = append(p.Nodes, fmt.Sprintf("%s-%d", p.Name, i+1))
	}
	if nodes > 0 {
		options := localcluster.NodeOptions{Count: nodes, NamePrefix: p.Name + "-", Labels: map[string]string{PoolLabel: p.Name}}
		if err := e.Cluster.AddNodes(t.Context(), options); err != nil {
			t.Fatalf("could not add nodes: %v", err)
		}
	}
	t.Cleanup(func() { p.remove(t) })
	return p
}

// Selector keeps a workload's pods to the pool's nodes.
func (p *Pool) Selector() localcluster.PodOption {
	return localcluster.NodeSelector(PoolLabel, p.Name)
}

// Run applies a workload and waits until it is ready.
func (p *Pool) Run(t *testing.T, workload *localcluster.Workload) {
	t.Helper()
	if err := workload.Apply(t.Context()); err != nil {
		t.Fatalf("could not apply the workload: %v", err)
	}
	if err := workload.WaitReady(t.Context()); err != nil {
		t.Fatalf("the workload is not ready: %v", err)
	}
}

// Hold returns a NodeMaintenance for a node, not created yet, with a name in the
// pool.
func (p *Pool) Hold(suffix, node string) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + suffix},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Reason: "test"},
	}
}

// Create creates a hold as the admin.
func (p *Pool) Create(t *testing.T, nm *v1beta1.NodeMaintenance) *v1beta1.NodeMaintenance {
	t.Helper()
	created, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(t.Context(), nm, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not create NodeMaintenance %s: %v", nm.Name, err)
	}
	return created
}

// Delete deletes a hold as the admin and waits until it is gone.
func (p *Pool) Delete(t *testing.T, name string) {
	t.Helper()
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	if err := holds.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete NodeMaintenance %s: %v", name, err)
	}
	Eventually(t, "deleted hold "+name+" goes", func(ctx context.Context) string {
		nm, err := holds.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		return describe(nm)
	})
}

// Node returns a node as it is.
func (p *Pool) Node(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node, err := p.Kube.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("could not get node %s: %v", name, err)
	}
	return node
}

// PatchNodeStatus changes the status of a node, as its kubelet does.
func (p *Pool) PatchNodeStatus(t *testing.T, node, patch string) {
	t.Helper()
	_, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatalf("could not patch the status of node %s: %v", node, err)
	}
}

// Boot has a node report another boot, as after a reboot: NODE-ID.
func (p *Pool) Boot(t *testing.T, node, id string) {
	t.Helper()
	p.PatchNodeStatus(t, node, fmt.Sprintf(`{"status":{"nodeInfo":{"bootID":%q}}}`, node+"-"+id))
}

// Down has a machine go: its node is not Ready, and stays so.
func (p *Pool) Down(t *testing.T, node string) {
	t.Helper()
	if err := p.Cluster.StopKubelet(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	p.PatchNodeStatus(t, node, `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"Test"}]}}`)
}

// Up has a machine come back that is down. The simulated kubelet makes its node Ready.
func (p *Pool) Up(t *testing.T, node string) {
	t.Helper()
	if err := p.Cluster.StartKubelet(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

// PodsOn returns the pool's pods on a node, terminating ones included.
func (p *Pool) PodsOn(ctx context.Context, node string) ([]corev1.Pod, error) {
	list, err := p.Kube.CoreV1().Pods(p.Name).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// remove ends the pool's holds first, so that nothing acts on its nodes, and
// does not wait for the rest. The test's context has ended by then.
func (p *Pool) remove(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	list, err := holds.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Errorf("could not list the test's holds: %v", err)
	} else {
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].Name, p.Name) || strings.HasPrefix(list.Items[i].Spec.NodeName, p.Name) {
				p.removed(t, func(ctx context.Context) error {
					return holds.Delete(ctx, list.Items[i].Name, metav1.DeleteOptions{})
				})
			}
		}
	}
	p.removed(t, func(ctx context.Context) error {
		return p.Kube.CoreV1().Namespaces().Delete(ctx, p.Name, metav1.DeleteOptions{})
	})
	for _, node := range p.Nodes {
		p.removed(t, func(ctx context.Context) error {
			return p.Kube.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{})
		})
	}
}

// removed deletes something that may be gone already, and tries again where the
// cluster is too busy to answer.
func (p *Pool) removed(t *testing.T, remove func(ctx context.Context) error) {
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), pollInterval, Timeout, true, func(ctx context.Context) (bool, error) {
		last = remove(ctx)
		return last == nil || apierrors.IsNotFound(last), nil
	})
	if err != nil {
		t.Errorf("could not clean up: %v", last)
	}
}
