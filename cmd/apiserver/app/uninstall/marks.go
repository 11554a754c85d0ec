// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// byHand is where the documentation says how to give nodes back without the server.
const byHand = "give them back by hand: docs/troubleshooting.md, The server cannot be recovered"

// checkWithoutServer is for a server that does not answer. Nobody knows its NodeMaintenances then, but the nodes bear marks.
func (c *checker) checkWithoutServer(ctx context.Context, reason error) error {
	marked, err := c.marked(ctx)
	if err != nil {
		return err
	}
	if len(marked) > 0 {
		return fmt.Errorf("the server does not answer (%w), and these nodes are in maintenance: %s\n"+
			"Without the server, they would stay as they are. Get it to run first, or %s", reason, shorten(marked), byHand)
	}
	fmt.Fprintf(c.out, "The server does not answer (%v). No node is in maintenance, so it can be uninstalled.\n", reason)
	return nil
}

// checkLeftBehind is for a server that has no NodeMaintenance left.
func (c *checker) checkLeftBehind(ctx context.Context) error {
	marked, err := c.marked(ctx)
	if err != nil {
		return err
	}
	if len(marked) > 0 {
		return fmt.Errorf("a server with another store has taken these nodes out of service: %s\n"+
			"This server does not know them. Uninstall that one instead, or %s", shorten(marked), byHand)
	}
	fmt.Fprintln(c.out, "No node is in maintenance.")
	return nil
}

// marked are the nodes that a server has cordoned and not given back.
func (c *checker) marked(ctx context.Context) ([]string, error) {
	list, err := c.nodes.List(ctx, metav1.ListOptions{LabelSelector: v1beta1.ExcludeFromRemediationLabel})
	if err != nil {
		return nil, fmt.Errorf("could not list nodes: %w", err)
	}
	var names []string
	for i := range list.Items {
		if bearsMarks(&list.Items[i]) {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

func bearsMarks(node *corev1.Node) bool { return node.Annotations[v1beta1.HoldsAnnotation] != "" }

// checkRegistrations finds groups that Helm would leave registered. A group without a server keeps every namespace of the
// cluster from being deleted.
func (c *checker) checkRegistrations(ctx context.Context) error {
	list, err := c.apiServices.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not list APIServices: %w", err)
	}
	var names []string
	for i := range list.Items {
		service := list.Items[i].Spec.Service
		ours := service != nil && service.Namespace == c.service.Namespace && service.Name == c.service.Name
		if ours && list.Items[i].Labels["app.kubernetes.io/managed-by"] != "Helm" {
			names = append(names, list.Items[i].Name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("these APIServices point to the server, but Helm does not manage them: %[1]s\n"+
			"Without the server, no namespace of the cluster would finish deleting. Delete them first: kubectl delete apiservice %[1]s",
			strings.Join(names, " "))
	}
	return nil
}

// mostNames is how many nodes a message lists.
const mostNames = 20

// shorten joins the names, or the first of them.
func shorten(names []string) string {
	slices.Sort(names)
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
