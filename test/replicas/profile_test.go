// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// neededLabel is what nodes of a profile carry while they need maintenance.
const neededLabel = "needed"

// turns are nodes that a profile takes into maintenance, a few at a time.
type turns struct {
	*env.Pool
	profile string
	had     []string // nodes that have had their turn
}

// newTurns has all nodes of a new pool need maintenance at once.
func (g *group) newTurns(t *testing.T, nodes, limit int) *turns {
	t.Helper()
	pool := g.NewPool(t, nodes)
	pool.WantMostCordoned(t, limit)
	for _, node := range pool.Nodes {
		setLabel(t, pool, node, `"yes"`)
	}
	to := func(name, check string, next v1beta1.ProfileState) []v1beta1.ProfileTransition {
		return []v1beta1.ProfileTransition{{Name: name, Check: check, Next: next}}
	}
	profiles := pool.Maintenance.MaintenanceV1beta1().MaintenanceProfiles()
	_, err := profiles.Create(t.Context(), &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: pool.Name},
		Spec: v1beta1.MaintenanceProfileSpec{
			Nodes:    v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{env.PoolLabel: pool.Name}}},
			OnDetach: v1beta1.DetachRelease,
			Checks: []v1beta1.ProfileCheck{
				{Name: "needed", NodeLabel: &v1beta1.KeyValueCheck{Key: neededLabel}},
				{Name: "room", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: int32(limit), Profile: pool.Name}},
			},
			States: v1beta1.ProfileStates{
				Operational:         v1beta1.ProfileStateSpec{Transitions: to("required", "needed", v1beta1.ProfileMaintenanceRequired)},
				MaintenanceRequired: v1beta1.ProfileStateSpec{Transitions: to("start", "room", v1beta1.ProfileInMaintenance)},
				InMaintenance: v1beta1.ProfileStateSpec{
					Hold:        &v1beta1.ProfileHold{Stage: v1beta1.StageCordon},
					Transitions: to("done", "!needed", v1beta1.ProfileOperational),
				},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not create profile %s: %v", pool.Name, err)
	}
	t.Cleanup(func() {
		if err := profiles.Delete(context.WithoutCancel(t.Context()), pool.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not delete profile %s: %v", pool.Name, err)
		}
	})
	return &turns{Pool: pool, profile: pool.Name}
}

// next waits until another node has its turn, and lets it go.
func (u *turns) next(t *testing.T) {
	t.Helper()
	node := ""
	env.Eventually(t, "another node of the profile has its turn", func(ctx context.Context) string {
		list, err := u.Maintenance.MaintenanceV1beta1().NodeProfiles().List(ctx, metav1.ListOptions{
			FieldSelector: "spec.profile=" + u.profile,
		})
		if err != nil {
			return err.Error()
		}
		for i := range list.Items {
			name, status := list.Items[i].Spec.NodeName, list.Items[i].Status
			if status.State == v1beta1.ProfileInMaintenance && status.Hold != nil && status.Hold.Reached == v1beta1.StageCordon &&
				!slices.Contains(u.had, name) {
				node = name
				return ""
			}
		}
		return fmt.Sprintf("%d of %d have had it", len(u.had), len(u.Nodes))
	})
	u.had = append(u.had, node)
	setLabel(t, u.Pool, node, "null")
}

func setLabel(t *testing.T, pool *env.Pool, node, value string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, neededLabel, value)
	if _, err := pool.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not label node %s: %v", node, err)
	}
}
