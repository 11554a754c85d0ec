// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hold

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
	"github.com/medik8s/maintenance-apiserver/pkg/serverholds"
)

// importedFrom has a node that another controller has cordoned for the profile be uncordoned in the end.
func importedFrom(np *v1beta1.NodeProfile) map[string]string {
	if !sapdata.HadCordoned(&np.Status) || np.Status.NodeUID == "" {
		return nil
	}
	value, err := json.Marshal(v1beta1.ImportedFrom{
		APIVersion: "v1", Name: np.Spec.NodeName, UID: np.Status.NodeUID, CreationTime: *np.Status.Since,
		NodeUID: np.Status.NodeUID, NodeBefore: &v1beta1.NodeBefore{},
	})
	if err != nil {
		return nil // only for a year that JSON cannot have
	}
	return map[string]string{v1beta1.ImportedAnnotation: string(value)}
}

// of makes the NodeMaintenance of a NodeProfile as it is wanted.
func (want Want) of(np *v1beta1.NodeProfile) serverholds.Want {
	return func(hold *v1beta1.NodeMaintenance, isNew bool) {
		if isNew {
			hold.Annotations, hold.Spec.Reason, hold.Spec.Stage = importedFrom(np), want.Reason, v1beta1.StageIdle
		}
		hold.OwnerReferences = []metav1.OwnerReference{owner(np)}
		if want.Exactly || reaches(want.Stage, hold.Spec.Stage) {
			hold.Spec.Stage, hold.Spec.Drain = want.Stage, drainOf(want)
		}
	}
}

func drainOf(want Want) v1beta1.DrainSpec {
	if want.Drain == nil {
		return v1beta1.DrainSpec{}
	}
	return *want.Drain.DeepCopy()
}

// owner has the NodeMaintenance go when its NodeProfile is gone, whoever has deleted that. If the NodeProfile was made
// anew, the new one is the owner.
func owner(np *v1beta1.NodeProfile) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "NodeProfile", Name: np.Name, UID: np.UID,
	}
}

// reaches says whether a stage is as far as the wanted one, or farther.
func reaches(stage, wanted v1beta1.MaintenanceStage) bool {
	return v1beta1.AdmittedStage(wanted, stage) == wanted
}
