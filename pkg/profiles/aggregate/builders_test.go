// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// newTestAggregate knows the profiles.
func newTestAggregate(profiles ...*v1beta1.MaintenanceProfile) *Aggregate {
	a := New()
	for _, p := range profiles {
		a.SetProfile(p)
	}
	return a
}

// newProfile has a transition out of each state that names all checks, and nothing else.
func newProfile(name string, checks ...v1beta1.ProfileCheck) *v1beta1.MaintenanceProfile {
	p := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: 1}}
	chain := ""
	for i, c := range checks {
		c.Name = fmt.Sprintf("c%d", i)
		p.Spec.Checks = append(p.Spec.Checks, c)
		if i > 0 {
			chain += " || "
		}
		chain += c.Name
	}
	out := func(next v1beta1.ProfileState) v1beta1.ProfileStateSpec {
		return v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{{Name: "t", Check: chain, Next: next}}}
	}
	p.Spec.States = v1beta1.ProfileStates{
		Operational:         out(v1beta1.ProfileMaintenanceRequired),
		MaintenanceRequired: out(v1beta1.ProfileInMaintenance),
		InMaintenance:       out(v1beta1.ProfileOperational),
	}
	return p
}

func newNode(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", Labels: maps.Clone(labels)}}
}

func onNode(node, profile string, state v1beta1.ProfileState) *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: node + "." + profile},
		Spec:       v1beta1.NodeProfileSpec{NodeName: node, Profile: profile},
		Status:     v1beta1.NodeProfileStatus{State: state, Sequence: 1},
	}
}

func has(value string) map[string]string { return map[string]string{"k": value} }
