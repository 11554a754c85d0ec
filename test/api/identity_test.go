// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The requestor is who creates, whoever that is, and cannot be anybody else.
func TestRequestor(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	editor := "editor-of-" + pool.Name
	grantUser(t, pool.Env, editorRole, editor, "create")
	account, config := serviceAccount(t, pool)
	callers := map[string]struct {
		caller caller
		name   string
	}{
		"a user":                    {user(t, editor), editor},
		"a user, directly":          {newCaller(t, direct(t, userConfig(t, editor))), editor},
		"an impersonated user":      {admin(t).with("Impersonate-User", editor), editor},
		"a service account":         {newCaller(t, config), account},
		"a service account's token": {newCaller(t, direct(t, config)), account},
		"an admin":                  {admin(t), "admin"},
	}
	for title, test := range callers {
		t.Run(title, func(t *testing.T) {
			name := pool.Name + "-a"
			post := func(requestor string, want int) answer {
				return test.caller.do(t, http.MethodPost, collection, asJSON,
					manifest(name, `{"nodeName":"`+absentNode(pool)+`","requestor":"`+requestor+`"}`)).want(t, want)
			}
			for _, forged := range []string{"somebody", "system:apiserver", test.name + "x"} {
				post(forged, http.StatusUnprocessableEntity).wantCauses(t, "spec.requestor")
				wantNotStored(t, pool, name)
			}
			post("", http.StatusCreated)
			got := get(t, pool, name)
			if got.Spec.Requestor != test.name {
				t.Errorf("got requestor %q, want %q", got.Spec.Requestor, test.name)
			}
			if managers := managersOf(t, got, "f:spec", "f:requestor"); managers != nil {
				t.Errorf("%q own spec.requestor, which only the server sets", managers)
			}
			path := collection + "/" + name
			test.caller.do(t, http.MethodPatch, path, asMergePatch, `{"spec":{"requestor":"somebody"}}`).
				want(t, http.StatusUnprocessableEntity).wantCauses(t, "spec.requestor")
			test.caller.do(t, http.MethodPatch, path, asMergePatch, `{"spec":{"requestor":null,"reason":"still mine"}}`).want(t, http.StatusOK)
			if got := get(t, pool, name); got.Spec.Requestor != test.name || got.Spec.Reason != "still mine" {
				t.Errorf("after an update without requestor: got %+v", got.Spec)
			}
			out := pool.Kubectl().Must(t, "", "get", "nm", "--field-selector=spec.requestor="+test.name+",spec.nodeName="+absentNode(pool), "-o", "name")
			wantContains(t, "holds of the requestor", out, name)
			pool.Delete(t, name)
		})
	}
}

// serviceAccount makes one that may edit, and returns its user name and a
// configuration with its token.
func serviceAccount(t *testing.T, p *env.Pool) (name string, config *rest.Config) {
	t.Helper()
	name, config = serviceAccountOnly(t, p)
	grant(t, p.Env, editorRole, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: p.Name, Name: "robot"},
		authorizationv1.SubjectAccessReviewSpec{User: name, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: "maintenance.medik8s.io", Resource: "nodemaintenances", Verb: "create",
		}})
	return name, config
}

// serviceAccountOnly makes one that may do nothing yet.
func serviceAccountOnly(t *testing.T, p *env.Pool) (name string, config *rest.Config) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Name}}
	if _, err := p.Kube.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	if _, err := p.Kube.CoreV1().ServiceAccounts(p.Name).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	path, err := p.Cluster.ServiceAccountKubeconfig(t.Context(), p.Name, account.Name)
	if err != nil {
		t.Fatal(err)
	}
	if config, err = clientcmd.BuildConfigFromFlags("", path); err != nil {
		t.Fatal(err)
	}
	return "system:serviceaccount:" + p.Name + ":" + account.Name, config
}

// Who may edit may not pretend to be somebody else.
func TestImpersonationIsForAdmins(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	editor := "editor-of-" + pool.Name
	grantUser(t, pool.Env, editorRole, editor, "create")
	body := manifest(pool.Name+"-a", `{"nodeName":"`+absentNode(pool)+`"}`)
	pool.Kubectl().Must(t, "", "get", "nm") // kubectl remembers the cluster's kinds, and does not ask for them as the admin below
	out := pool.KubectlAs(t, editor).Try(t, body, "create", "--validate=false", "-f", "-", "--as=admin")
	wantContains(t, "kubectl create --as", out.Stderr, "(Forbidden)", "cannot impersonate")
	newCaller(t, direct(t, userConfig(t, editor))).with("Impersonate-User", "admin").
		do(t, http.MethodPost, collection, asJSON, body).want(t, http.StatusForbidden)
	wantNotStored(t, pool, pool.Name+"-a")
	pool.Kubectl().Must(t, body, "create", "-f", "-", "--as="+editor)
	if got := get(t, pool, pool.Name+"-a"); got.Spec.Requestor != editor {
		t.Errorf("got requestor %q, want %q", got.Spec.Requestor, editor)
	}
}
