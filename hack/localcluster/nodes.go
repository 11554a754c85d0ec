// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	nodeutil "k8s.io/component-helpers/node/util"
)

// NodeOptions says which nodes to add.
type NodeOptions struct {
	// Count is the wanted number of nodes. Their names are NamePrefix followed by 1 to Count.
	Count int
	// NamePrefix is what their names begin with. Default: "node-".
	NamePrefix string
	// Zones is how many zones they are spread over in turn: zone-a, zone-b and so
	// on. Default: 1.
	Zones int
	// Labels are added to a worker's usual ones.
	Labels map[string]string
}

// AddNodes creates those of the nodes that do not exist yet, and waits until all are Ready
// and pods can be scheduled to them. A cordoned node counts as ready.
func (c *Cluster) AddNodes(ctx context.Context, options NodeOptions) error {
	if options.NamePrefix == "" {
		options.NamePrefix = "node-"
	}
	names := make([]string, 0, options.Count)
	for i := range options.Count {
		node := newNode(options, i)
		_, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("could not create node %s: %w", node.Name, err)
		}
		names = append(names, node.Name)
	}
	return c.waitNodesReady(ctx, names)
}

func (c *Cluster) ensureNodes(ctx context.Context) error {
	if c.options.Nodes == 0 {
		return nil
	}
	return c.step("nodes", func() (string, error) {
		err := c.AddNodes(ctx, NodeOptions{Count: c.options.Nodes, Zones: c.options.Zones})
		return fmt.Sprintf("%d Ready in %d zones", c.options.Nodes, min(c.options.Zones, c.options.Nodes)), err
	})
}

// newNode returns the node with a zero-based index, with everything that a kubelet reports
// when it registers. The simulated kubelet makes it Ready.
func newNode(options NodeOptions, index int) *corev1.Node {
	name := fmt.Sprintf("%s%d", options.NamePrefix, index+1)
	labels := map[string]string{
		corev1.LabelHostname:             name,
		corev1.LabelOSStable:             "linux",
		corev1.LabelArchStable:           "amd64",
		corev1.LabelTopologyZone:         zoneName(index % max(options.Zones, 1)),
		"node-role.kubernetes.io/worker": "",
	}
	maps.Copy(labels, options.Labels)
	resources := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("32"),
		corev1.ResourceMemory: resource.MustParse("128Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
		// Pods that say how much they write are scheduled to nodes that say how much there is.
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.%d.%d", (index+1)/256, (index+1)%256)},
				{Type: corev1.NodeHostName, Address: name},
			},
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "simulated", OperatingSystem: "linux", Architecture: "amd64", BootID: name + "-first"},
		},
	}
}

// zoneName returns zone-a to zone-z, and zone-aa for the one after.
func zoneName(index int) string {
	const letters = 26
	return "zone-" + strings.Repeat("a", index/letters) + string(rune('a'+index%letters))
}

func (c *Cluster) waitNodesReady(ctx context.Context, names []string) error {
	waiting := ""
	err := wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		ready, err := c.readyNodes(ctx)
		if err != nil {
			return false, err
		}
		for _, name := range names {
			if !ready[name] {
				waiting = name
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("could not wait for node %s to be ready: %w", waiting, err)
	}
	return nil
}

// readyNodes returns the names of the nodes that are ready and managed by a simulated
// kubelet, which their leases show. A node whose kubelet was stopped counts too.
func (c *Cluster) readyNodes(ctx context.Context) (map[string]bool, error) {
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list nodes: %w", err)
	}
	leases, err := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list leases of nodes: %w", err)
	}
	leased := map[string]bool{}
	for i := range leases.Items {
		leased[leases.Items[i].Name] = true
	}
	ready := map[string]bool{}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		stopped := node.Labels[KubeletLabel] == KubeletStopped
		ready[node.Name] = stopped || leased[node.Name] && nodeReady(node)
	}
	return ready, nil
}

// nodeReady reports whether the node is Ready and the node lifecycle controller has noticed
// that.
func nodeReady(node *corev1.Node) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable {
			return false
		}
	}
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// StopKubelet stops the simulated kubelet of a node. It no longer renews the node's lease,
// and the node's pods neither become Ready nor terminate. After five quarters of
// Options.NodeLease the node lifecycle controller finds the node unreachable.
func (c *Cluster) StopKubelet(ctx context.Context, node string) error {
	return c.patchKubeletLabel(ctx, node, `"`+KubeletStopped+`"`)
}

// StartKubelet starts the simulated kubelet of a node again.
func (c *Cluster) StartKubelet(ctx context.Context, node string) error {
	return c.patchKubeletLabel(ctx, node, "null")
}

func (c *Cluster) patchKubeletLabel(ctx context.Context, node, value string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, KubeletLabel, value)
	if _, err := c.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("could not label node %s for its kubelet: %w", node, err)
	}
	return nil
}
