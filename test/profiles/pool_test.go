// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// pool is a test's nodes, and what it does to them.
type pool struct{ *env.Pool }

func newPool(t *testing.T, nodes int) *pool {
	t.Helper()
	t.Parallel()
	return &pool{Pool: env.Current(t).NewPool(t, nodes)}
}

// cycle goes round: its nodes need maintenance while they have the label needed, and come into it once they have the
// label allowed, too. They are cordoned then, and given back when they need it no more.
const cycle = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: allowed, nodeLabel: {key: allowed}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: allowed, next: InMaintenance}]
  inMaintenance:
    hold: {stage: Cordon}
    transitions: [{name: done, check: "!needed", next: Operational}]
`

// profile creates a profile until the test's end, with a name in the pool, for all nodes of the pool and no others, unless
// the spec selects some itself. POOL stands for the name of the pool.
func (p *pool) profile(t *testing.T, suffix, spec string) (name string) {
	t.Helper()
	profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + suffix}}
	if err := yaml.UnmarshalStrict([]byte(strings.ReplaceAll(spec, "POOL", p.Name)), &profile.Spec); err != nil {
		t.Fatalf("could not read profile %s: %v", suffix, err)
	}
	if profile.Spec.Nodes.Selector == nil {
		profile.Spec.Nodes.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{env.PoolLabel: p.Name}}
	}
	if _, err := p.profiles().Create(t.Context(), profile, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create profile %s: %v", profile.Name, err)
	}
	t.Cleanup(func() { p.removeProfiles(t, profile.Name) })
	return profile.Name
}

// removeProfiles removes profiles that may be gone already. What they hold is given back at once.
func (p *pool) removeProfiles(t *testing.T, names ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, name := range names {
		_, err := p.profiles().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"onDetach":"Release"}}`), metav1.PatchOptions{})
		if err == nil {
			err = p.profiles().Delete(ctx, name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not delete profile %s: %v", name, err)
		}
	}
}

// change changes a profile by a merge patch.
func (p *pool) change(t *testing.T, profile, patch string) {
	t.Helper()
	if _, err := p.profiles().Patch(t.Context(), profile, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not patch profile %s: %v", profile, err)
	}
}

// label sets labels of a node, as key=value; key- removes one.
func (p *pool) label(t *testing.T, node string, labels ...string) {
	t.Helper()
	values := map[string]any{}
	for _, label := range labels {
		if key, removed := strings.CutSuffix(label, "-"); removed {
			values[key] = nil
			continue
		}
		key, value, _ := strings.Cut(label, "=")
		values[key] = value
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": values}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not label node %s: %v", node, err)
	}
}

// wait waits until check accepts the profile on the node, and returns it.
func (p *pool) wait(t *testing.T, profile, node, what string, check func(status *v1beta1.NodeProfileStatus) bool) *v1beta1.NodeProfile {
	t.Helper()
	var last *v1beta1.NodeProfile
	env.Eventually(t, what, func(ctx context.Context) string {
		found, err := p.nodeProfiles().Get(ctx, v1beta1.NodeProfileName(node, profile), metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if last = found; check(&found.Status) {
			return ""
		}
		status, _ := json.Marshal(found.Status)
		return string(status)
	})
	return last
}

// is waits until the profile is in a state on the node, and nothing is being done there.
func (p *pool) is(t *testing.T, profile, node string, want v1beta1.ProfileState) *v1beta1.NodeProfile {
	t.Helper()
	return p.wait(t, profile, node, fmt.Sprintf("%s is %s on %s", profile, want, node), func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == want && s.Transition == nil
	})
}

// waits waits until the profile says on the node that it waits for that, in a state.
func (p *pool) waits(t *testing.T, profile, node string, state v1beta1.ProfileState, want string) {
	t.Helper()
	p.wait(t, profile, node, fmt.Sprintf("%s waits for %q on %s", profile, want, node), func(s *v1beta1.NodeProfileStatus) bool {
		return s.State == state && strings.Contains(s.WaitingFor, want)
	})
}

// gone waits until the profile is off the node.
func (p *pool) gone(t *testing.T, profile, node string) {
	t.Helper()
	env.Eventually(t, profile+" is off "+node, func(ctx context.Context) string {
		found, err := p.nodeProfiles().Get(ctx, v1beta1.NodeProfileName(node, profile), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprint(found, err)
	})
}
