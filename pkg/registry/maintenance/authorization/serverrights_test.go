// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// What the server is not permitted is refused when it is asked for, also to those who are permitted everything.
func TestServerRights(t *testing.T) {
	deletes := func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Drain.OnTimeout, hold.Spec.Drain.TimeoutSeconds = v1beta1.OnTimeoutDelete, ptr.To[int64](1)
	}
	triggers := func(triggers ...v1beta1.ProfileTrigger) *v1beta1.MaintenanceProfile {
		return doesAll(func(spec *v1beta1.MaintenanceProfileSpec) { spec.Triggers = triggers })
	}
	patches := func(patch v1beta1.PatchNodeTrigger) *v1beta1.MaintenanceProfile {
		return triggers(v1beta1.ProfileTrigger{Name: "p", PatchNode: &patch})
	}
	drains := triggers(v1beta1.ProfileTrigger{Name: "d", Hold: &v1beta1.HoldTrigger{Drain: &v1beta1.DrainSpec{OnTimeout: v1beta1.OnTimeoutDelete}}})
	other := patches(v1beta1.PatchNodeTrigger{
		Labels: map[string]string{"example.com/a": ""}, Annotations: map[string]string{"b": ""}, RemoveLabels: []string{"c"}, RemoveAnnotations: []string{"example.org/d"},
		AddFinalizers: []string{"example.com.evil/e"}, RemoveFinalizers: []string{"e"},
	})
	limits := ServerRights{NodeKeys: []string{"example.com/*", "b"}}
	for name, test := range map[string]struct {
		rights ServerRights
		write  admission.Attributes
		want   []string
	}{
		"force":                {limits, attributesOf(admission.Create, "", nil, makeHold(deletes)), []string{"spec.drain.onTimeout: Forbidden: the server may not delete pods", "rbac.allowForce"}},
		"force that is stored": {limits, attributesOf(admission.Update, "", makeHold(deletes), makeHold(deletes, reason)), nil},
		"force is permitted":   {ServerRights{DeletePods: true}, attributesOf(admission.Create, "", nil, makeHold(deletes)), nil},
		"a grace period":       {limits, attributesOf(admission.Create, "", nil, makeHold(grace)), nil},
		"a delete":             {limits, attributesOf(admission.Delete, "", makeHold(deletes), nil), nil},
		"the profile drains":   {limits, profileWrite(drains, nil), []string{"spec.triggers[0].hold.drain.onTimeout: Forbidden: the server may not delete pods"}},
		"keys": {limits, profileWrite(other, nil), []string{
			`spec.triggers[0].patchNode: Invalid value: "c": the server may not change this key of nodes`, "profiles.nodeKeys", `"e"`, `"example.com.evil/e"`, `"example.org/d"`,
		}},
		"keys that are stored":    {limits, profileWrite(other, other), nil},
		"permitted keys":          {limits, profileWrite(patches(v1beta1.PatchNodeTrigger{Labels: map[string]string{"example.com/a": "", "b": ""}}), nil), nil},
		"a finalizer of a domain": {limits, profileWrite(patches(v1beta1.PatchNodeTrigger{RemoveFinalizers: []string{"b", "example.com/f"}}), nil), []string{`"example.com/f"`}},
		"all keys":                {ServerRights{NodeKeys: []string{"*"}}, profileWrite(other, nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			plugin := New(&questions{}, "")
			plugin.Limit(test.rights)
			err := plugin.Validate(t.Context(), test.write, nil)
			if len(test.want) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !apierrors.IsInvalid(err) {
				t.Fatalf("got %v, want a 422", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), `"example.com/a"`) || strings.Contains(err.Error(), `"b"`) {
				t.Errorf("got %v, want nothing about permitted keys", err)
			}
		})
	}
}

// The server's own holds drain as far as it is permitted.
func TestServerRightsOfOwnHolds(t *testing.T) {
	hold := makeHold(func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.OnTimeout = v1beta1.OnTimeoutDelete })
	own := write{operation: admission.Create, by: &user.DefaultInfo{Name: user.APIServerUser}, hold: hold}
	if err := (&ServerRights{}).refuseHold(own); err != nil {
		t.Errorf("refused: %v", err)
	}
}
