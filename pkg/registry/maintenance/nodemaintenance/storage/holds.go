// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const (
	// maxHoldsNamed caps the holds that a warning names; the rest are counted.
	// kubectl prints a warning as one line.
	maxHoldsNamed = 3
	// maxNodesWarned caps the nodes that the answer to one deletecollection
	// speaks of. Warnings travel in headers, which are cut at 4 KiB.
	maxNodesWarned = 10
)

func (r *REST) warnOfMissingNode(ctx context.Context, hold *v1beta1.NodeMaintenance) {
	if node := hold.Spec.NodeName; !r.nodes.HasNode(node) {
		warning.AddWarning(ctx, "", fmt.Sprintf(
			"node %q does not exist: the maintenance stays Pending until it appears", node))
	}
}

// warnOfEarlierHolds warns that others held the node already when a new hold was created.
func warnOfEarlierHolds(ctx context.Context, node string, earlier []v1beta1.NodeMaintenance) {
	if holds := keeping(earlier); len(holds) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("node %q is in maintenance already: held by %s", node, describe(holds, holderSince)))
	}
}

// warnOfRemainingHolds warns that other holds keep the nodes of deleted holds in maintenance.
func (r *REST) warnOfRemainingHolds(ctx context.Context, deleted ...runtime.Object) {
	var nodes []string
	var uids []types.UID
	for _, obj := range deleted {
		if hold, ok := obj.(*v1beta1.NodeMaintenance); ok {
			nodes = append(nodes, hold.Spec.NodeName)
			// In a dry run the deleted holds are still in the store.
			uids = append(uids, hold.UID)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	for _, node := range nodes[:min(len(nodes), maxNodesWarned)] {
		r.warnOfRemainingHoldsOn(ctx, node, uids...)
	}
}

func (r *REST) warnOfRemainingHoldsOn(ctx context.Context, node string, deleted ...types.UID) {
	listed, err := r.HoldsOn(ctx, node)
	if err != nil {
		logMissedWarning(ctx, err, node)
		return
	}
	if holds := keeping(listed.Items, deleted...); len(holds) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("node %q stays in maintenance: held by %s",
			node, Describe(holds)))
	}
}

// keeping returns the holds that keep a node in maintenance, without those in leftOut.
func keeping(holds []v1beta1.NodeMaintenance, leftOut ...types.UID) []v1beta1.NodeMaintenance {
	return slices.DeleteFunc(holds, func(hold v1beta1.NodeMaintenance) bool {
		return !nodemaintenance.Keeps(&hold) || slices.Contains(leftOut, hold.UID)
	})
}

// HoldsOn lists all holds on a node, oldest first. Ending holds and holds in stage Idle are included.
func (r *REST) HoldsOn(ctx context.Context, node string) (*v1beta1.NodeMaintenanceList, error) {
	return r.listOn(ctx, node, "")
}

// knownOn lists the holds on a node from the watch cache, oldest first. It waits only while the watch
// cache does not show the last write to a hold on that node.
func (r *REST) knownOn(ctx context.Context, node string) ([]v1beta1.NodeMaintenance, error) {
	version := r.written.last(node)
	list, err := r.listOn(ctx, node, version)
	if err != nil && version != anyVersion {
		// The watch cache is too far behind: ask the store itself.
		if list, err = r.listOn(ctx, node, ""); err == nil {
			r.written.forgetLost(node, version, list.ResourceVersion)
		}
	}
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// listOn lists the holds on a node, oldest first. The list is no older than minVersion; empty asks
// for the latest.
func (r *REST) listOn(ctx context.Context, node, minVersion string) (*v1beta1.NodeMaintenanceList, error) {
	listed, err := r.REST.List(ctx, &metainternalversion.ListOptions{
		FieldSelector:   fields.OneTermEqualSelector(v1beta1.FieldNodeName, node),
		ResourceVersion: minVersion,
	})
	if err != nil {
		return nil, fmt.Errorf("could not list the holds on node %q: %w", node, err)
	}
	list, ok := listed.(*v1beta1.NodeMaintenanceList)
	if !ok {
		return nil, fmt.Errorf("could not list the holds on node %q: got %T", node, listed)
	}
	slices.SortStableFunc(list.Items, func(a, b v1beta1.NodeMaintenance) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return list, nil
}

// Describe says whose the holds are: the first by name, and how many more.
func Describe(holds []v1beta1.NodeMaintenance) string { return describe(holds, holder) }

// describe lists the first holds by name and counts the rest.
func describe(holds []v1beta1.NodeMaintenance, describeOne func(*v1beta1.NodeMaintenance) string) string {
	named := make([]string, 0, maxHoldsNamed)
	for i := range holds[:min(len(holds), maxHoldsNamed)] {
		named = append(named, describeOne(&holds[i]))
	}
	text := strings.Join(named, ", ")
	if more := len(holds) - maxHoldsNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func holder(hold *v1beta1.NodeMaintenance) string {
	return fmt.Sprintf("%q of %q", hold.Name, hold.Spec.Requestor)
}

func holderSince(hold *v1beta1.NodeMaintenance) string {
	return fmt.Sprintf("%s since %s", holder(hold), hold.CreationTimestamp.UTC().Format(time.RFC3339))
}

// logMissedWarning logs that a warning could not be made. The request has succeeded all the same: its
// write is stored.
func logMissedWarning(ctx context.Context, err error, node string) {
	klog.FromContext(ctx).V(2).Info("Could not warn of other holds on the node", "node", node, "err", err)
}
