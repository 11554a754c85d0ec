// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const foreignFinalizer = "example.com/check"

// attempts are the ways to take every finalizer off a hold, as an admin may try.
var attempts = map[string]struct{ kind, patch string }{
	"merge patch to null":     {asMergePatch, `{"metadata":{"finalizers":null}}`},
	"merge patch to none":     {asMergePatch, `{"metadata":{"finalizers":[]}}`},
	"JSON patch remove":       {asJSONPatch, `[{"op":"remove","path":"/metadata/finalizers"}]`},
	"JSON patch replace":      {asJSONPatch, `[{"op":"replace","path":"/metadata/finalizers","value":[]}]`},
	"strategic patch to null": {asStrategicPatch, `{"metadata":{"finalizers":null}}`},
	"strategic patch delete":  {asStrategicPatch, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + v1beta1.UncordonFinalizer + `"]}}`},
}

func TestNobodyTakesOurFinalizerOff(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	path := collection + "/" + hold.Name
	kept := "metadata.finalizers: " + v1beta1.UncordonFinalizer + " is kept: the server removes it when node \"" + absentNode(pool) + "\" has been given back"
	check := func(t *testing.T, got answer, warnings ...string) {
		t.Helper()
		got.want(t, http.StatusOK)
		if !slices.Equal(got.warnings, warnings) {
			t.Errorf("got warnings %q, want %q", got.warnings, warnings)
		}
		if got := get(t, pool, hold.Name); !slices.Contains(got.Finalizers, v1beta1.UncordonFinalizer) {
			t.Errorf("got finalizers %q", got.Finalizers)
		}
	}
	for name, attempt := range attempts {
		t.Run(name, func(t *testing.T) {
			check(t, admin(t).do(t, http.MethodPatch, path, attempt.kind, attempt.patch), kept)
			check(t, admin(t).do(t, http.MethodPatch, path+"/status", attempt.kind, attempt.patch))
		})
	}
	t.Run("PUT", func(t *testing.T) {
		check(t, admin(t).do(t, http.MethodPut, path, asJSON, withoutFinalizers(t, pool, hold.Name)), kept)
		check(t, admin(t).do(t, http.MethodPut, path+"/status", asJSON, withoutFinalizers(t, pool, hold.Name)))
	})
	t.Run("apply", func(t *testing.T) {
		apply := func(metadata string) answer {
			return admin(t).do(t, http.MethodPatch, path+"?fieldManager=finalizers&force=true", asApply,
				manifestWith(metadata, `{"nodeName":"`+absentNode(pool)+`"}`))
		}
		check(t, apply(fmt.Sprintf(`{"name":%q,"finalizers":[%q]}`, hold.Name, v1beta1.UncordonFinalizer)))
		check(t, apply(fmt.Sprintf(`{"name":%q}`, hold.Name)), kept)
	})
	t.Run("as the server, but not at the end", func(t *testing.T) {
		server := admin(t).with("Impersonate-User", "system:apiserver").with("Impersonate-Group", "system:masters")
		check(t, server.do(t, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`), kept)
	})
	t.Run("kubectl", func(t *testing.T) {
		out := pool.Kubectl().Try(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
		wantContains(t, "stderr", out.Stderr, "Warning: "+kept)
		pool.Kubectl().Must(t, "", "patch", "nm", hold.Name, "--subresource=status", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	})
}

func withoutFinalizers(t *testing.T, p *env.Pool, name string) string {
	t.Helper()
	hold := get(t, p, name)
	hold.APIVersion, hold.Kind, hold.Finalizers = "maintenance.medik8s.io/v1beta1", "NodeMaintenance", nil
	body, err := json.Marshal(hold)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Finalizers of others come and go, and delay the end of the object, but not
// that of the maintenance.
func TestForeignFinalizers(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	kubectl := pool.Kubectl()
	hold := pool.Hold("a", pool.Nodes[0])
	hold.Finalizers = []string{foreignFinalizer}
	pool.Create(t, hold)
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	if got := get(t, pool, hold.Name); !slices.Equal(got.Finalizers, []string{foreignFinalizer, v1beta1.UncordonFinalizer}) {
		t.Errorf("got finalizers %q", got.Finalizers)
	}
	patch := func(finalizers ...string) {
		t.Helper()
		list, err := json.Marshal(finalizers)
		if err != nil {
			t.Fatal(err)
		}
		kubectl.Must(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", fmt.Sprintf(`{"metadata":{"finalizers":%s}}`, list))
		if got := get(t, pool, hold.Name); !slices.Equal(got.Finalizers, finalizers) {
			t.Errorf("got finalizers %q, want %q", got.Finalizers, finalizers)
		}
	}
	patch(v1beta1.UncordonFinalizer)
	patch(foreignFinalizer, v1beta1.UncordonFinalizer, "example.com/other")
	patch(v1beta1.UncordonFinalizer, foreignFinalizer)

	kubectl.Must(t, "", "delete", "nm", hold.Name, "--wait=false")
	pool.WaitForHold(t, hold.Name, "our finalizer gone", func(nm *v1beta1.NodeMaintenance) bool {
		return slices.Equal(nm.Finalizers, []string{foreignFinalizer})
	})
	if pool.Node(t, pool.Nodes[0]).Spec.Unschedulable {
		t.Error("the node is cordoned still after our finalizer has gone")
	}
	wantContains(t, "row", kubectl.Must(t, "", "get", "nm", hold.Name), "Terminating")
	kubectl.Must(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	wantGone(t, pool, hold.Name)
}

// While the node cannot be given back the hold stays, whatever an admin does to
// it, and says why.
func TestStuckGiveBackKeepsTheHold(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	kubectl, node := pool.Kubectl(), pool.Nodes[0]
	hold := pool.Create(t, pool.Hold("a", node))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	allowChanges := forbidChanges(t, pool, node)

	kubectl.Must(t, "", "delete", "nm", hold.Name, "--wait=false")
	stuck := pool.WaitForHold(t, hold.Name, "the obstacle in the status", func(nm *v1beta1.NodeMaintenance) bool {
		return strings.Contains(nm.Status.LastError, "nobody changes this node")
	})
	for name, attempt := range attempts {
		got := admin(t).do(t, http.MethodPatch, collection+"/"+hold.Name, attempt.kind, attempt.patch).want(t, http.StatusOK)
		if len(got.warnings) != 1 {
			t.Errorf("%s: got warnings %q, want one", name, got.warnings)
		}
	}
	if got := get(t, pool, hold.Name); got.UID != stuck.UID || !slices.Contains(got.Finalizers, v1beta1.UncordonFinalizer) {
		t.Errorf("got finalizers %q", got.Finalizers)
	}
	allowChanges()
	kubectl.Must(t, "", "wait", "--for=delete", "nm/"+hold.Name, "--timeout=120s")
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node is cordoned still after its hold has gone")
	}
}

// forbidChanges lets nobody change a node's spec, until the returned function is
// called or the test ends.
func forbidChanges(t *testing.T, p *env.Pool, node string) (allow func()) {
	t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-node"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: matching("", "v1", "nodes", admissionregistrationv1.Update),
			MatchConditions:  []admissionregistrationv1.MatchCondition{{Name: "node", Expression: `object.metadata.name == "` + node + `"`}},
			Validations: []admissionregistrationv1.Validation{{
				Expression: "object.spec == oldObject.spec", Message: "nobody changes this node", Reason: ptr.To(metav1.StatusReasonForbidden),
			}},
		},
	}
	allow = enforce(t, p, policy)
	env.Eventually(t, "changes of the node's spec are refused", func(ctx context.Context) string {
		got := admin(t).do(t, http.MethodPatch, "/api/v1/nodes/"+node+"?dryRun=All", asMergePatch, `{"spec":{"unschedulable":null}}`)
		if got.code == http.StatusForbidden {
			return ""
		}
		return fmt.Sprint(got.code)
	})
	return allow
}
