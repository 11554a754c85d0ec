// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubevirtv1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func addConversions(scheme *runtime.Scheme) error {
	return legacy.AddConversions(scheme, fromHub, toHub,
		func(list *NodeMaintenanceList) legacy.ListParts[NodeMaintenance] {
			return legacy.ListParts[NodeMaintenance]{Meta: &list.ListMeta, Items: &list.Items}
		})
}

func fromHub(in *v1beta1.NodeMaintenance, out *NodeMaintenance) error {
	status := legacy.KubeVirtStatusOf(in)
	out.ObjectMeta = legacy.MetadataFromHub(in.ObjectMeta)
	out.Spec = NodeMaintenanceSpec{NodeName: in.Spec.NodeName, Reason: in.Spec.Reason}
	out.Status = NodeMaintenanceStatus{
		Phase:        status.Phase,
		LastError:    status.LastError,
		PendingPods:  status.PodNames(),
		TotalPods:    status.TotalPods,
		EvictionPods: status.EvictionPods,
	}
	if out.Status.Phase == legacy.PhaseFailed {
		out.Status.Phase = legacy.PhaseRunning // this version had no other word for it
	}
	return nil
}

func toHub(in *NodeMaintenance, out *v1beta1.NodeMaintenance) error {
	out.ObjectMeta = legacy.MetadataToHub(in.ObjectMeta)
	out.Status = legacy.Status{
		Phase:        in.Status.Phase,
		LastError:    in.Status.LastError,
		PendingPods:  legacy.PodsWithoutNamespace(in.Status.PendingPods),
		TotalPods:    in.Status.TotalPods,
		EvictionPods: in.Status.EvictionPods,
	}.ToHub()
	out.Spec = legacy.SpecToHub(in.Spec.NodeName, in.Spec.Reason)
	return nil
}
