// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// giveAllBack deletes all holds, also those that are created meanwhile, and waits until they are gone: then their nodes
// are given back. In the end it says which are stuck.
func (c *checker) giveAllBack(ctx context.Context, left []v1beta1.NodeMaintenance) error {
	if len(left) == 0 {
		return nil
	}
	fmt.Fprintf(c.out, "Giving back: %s\n", shorten(nodesOf(left)))
	var last error
	err := wait.PollUntilContextTimeout(ctx, c.interval, c.timeout, true, func(ctx context.Context) (bool, error) {
		var list *v1beta1.NodeMaintenanceList
		if list, last = c.holds.List(ctx, metav1.ListOptions{}); last == nil {
			left = list.Items
			last = c.deleteAll(ctx, left)
		}
		return last == nil && len(left) == 0, nil
	})
	if err == nil {
		return nil
	}
	return fmt.Errorf("after %s, these nodes are not given back: %s%s", c.timeout, stuck(left), because(last))
}

func (c *checker) deleteAll(ctx context.Context, holds []v1beta1.NodeMaintenance) error {
	for i := range holds {
		if holds[i].DeletionTimestamp != nil {
			continue
		}
		if err := c.holds.Delete(ctx, holds[i].Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("could not delete NodeMaintenance %s: %w", holds[i].Name, err)
		}
	}
	return nil
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf(": %v", err)
}

// nodesOf are the names of the nodes, each once.
func nodesOf(holds []v1beta1.NodeMaintenance) []string {
	var names []string
	for i := range holds {
		names = append(names, holds[i].Spec.NodeName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// describe names the nodes, and for each who holds it.
func describe(holds []v1beta1.NodeMaintenance) string {
	return lines(holds, func(nm *v1beta1.NodeMaintenance) string {
		return fmt.Sprintf("NodeMaintenance %s of %s", nm.Name, text.Escape(nm.Spec.Requestor))
	})
}

// stuck names the nodes, and for each what its hold says.
func stuck(holds []v1beta1.NodeMaintenance) string {
	return lines(holds, func(nm *v1beta1.NodeMaintenance) string {
		why := cmp.Or(text.Escape(nm.Status.LastError), "its NodeMaintenance has the finalizers "+strings.Join(nm.Finalizers, ", "))
		return fmt.Sprintf("NodeMaintenance %s: %s", nm.Name, why)
	})
}

// lines has a line for each hold, and counts those that are too many.
func lines(holds []v1beta1.NodeMaintenance, say func(*v1beta1.NodeMaintenance) string) string {
	var b strings.Builder
	for i := range holds[:min(len(holds), mostNames)] {
		fmt.Fprintf(&b, "\n- %s (%s)", holds[i].Spec.NodeName, say(&holds[i]))
	}
	if more := len(holds) - mostNames; more > 0 {
		fmt.Fprintf(&b, "\n- and %d more", more)
	}
	return b.String()
}
