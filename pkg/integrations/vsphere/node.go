// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// visit is one round in one zone, with what its vCenter says.
type visit struct {
	*Integration
	client *vim25.Client
	hosts  map[string][]host
	// machines are read when the first of them matters; nil until then.
	machines map[string][]machine
}

// begin asks the vCenter of the zone for its hosts.
func (v *visit) begin(ctx context.Context, zone string) error {
	return v.sessions.use(ctx, zone, func(client *vim25.Client) (err error) {
		v.client = client
		v.hosts, err = hostsOf(ctx, client, v.settings.Alarms)
		return err
	})
}

// node labels the node, records that it is to be shut down, and does what is due. It says whether that is under way.
func (v *visit) node(ctx context.Context, node *corev1.Node) (waits bool, err error) {
	host, err := v.hostOf(node)
	if err != nil {
		return false, err
	}
	if err := v.nodes.Mark(ctx, node, marksOf(node, host)); err != nil {
		return false, err
	}
	switch {
	case !initiated(node):
		return false, nil
	case host.state == stateOut:
		return v.giveBack(ctx, node)
	default:
		return v.takeOut(ctx, node, host.state)
	}
}

// marksOf are the labels of a node, and the record that it is to be shut down.
func marksOf(node *corev1.Node, h host) integrations.Marks {
	marks := integrations.Marks{Labels: map[string]string{MaintenanceLabel: string(h.state)}}
	if !initiated(node) {
		marks.Without = []string{ShutdownAnnotation} // of a shutdown that somebody has taken over
	}
	if h.version != "" {
		marks.Labels[VersionLabel] = h.version
	}
	if h.state != stateOut && node.Labels[RebootOKLabel] == isTrue {
		marks.Annotations = map[string]string{InitiatedAnnotation: isTrue}
	}
	return marks
}

func initiated(node *corev1.Node) bool { return node.Annotations[InitiatedAnnotation] == isTrue }

func (v *visit) hostOf(node *corev1.Node) (host, error) {
	return theOnly(v.hosts, node.Labels[HostLabel], "hosts")
}

// machineOf returns the virtual machine of a node.
func (v *visit) machineOf(ctx context.Context, node *corev1.Node) (machine, error) {
	if v.machines == nil {
		machines, err := machinesOf(ctx, v.client)
		if err != nil {
			return machine{}, err
		}
		v.machines = machines
	}
	return theOnly(v.machines, node.Name, "virtual machines")
}

// theOnly returns what has the name. It fails if nothing has it, or several things: nobody knows which of them is meant.
func theOnly[T any](all map[string][]T, name, kind string) (T, error) {
	if found := all[name]; len(found) != 1 {
		var none T
		return none, fmt.Errorf("vCenter has %d %s with the name %s, and must have one", len(found), kind, name)
	}
	return all[name][0], nil
}
