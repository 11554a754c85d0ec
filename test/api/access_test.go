// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const nodesPath = groupVersion + "/nodes"

// person is somebody who tries things, and by whose name the objects are theirs.
type person struct {
	title, name string
	caller      caller
}

// access is the stage of the matrix: the nodes A and B.
type access struct {
	*env.Pool
	a, b string
}

// grantSelfService applies the example that ships, for a group and nodes of the test's, and waits
// until it counts. It is to come before the group's first request.
func grantSelfService(t *testing.T, p *env.Pool, name, group string, nodes ...string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "artifacts", "examples", "self-service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	example := strings.NewReplacer("name: maintenance-of-payments", "name: "+name, "name: payments", "name: "+group,
		"[worker-1, worker-3]", "["+strings.Join(nodes, ", ")+"]").Replace(string(content))
	p.Kubectl().Must(t, example, "apply", "-f", "-")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		if err := p.Kube.RbacV1().ClusterRoleBindings().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove binding: %v", err)
		}
		if err := p.Kube.RbacV1().ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove role: %v", err)
		}
	})
	env.Eventually(t, "grant of "+name, func(ctx context.Context) string {
		review, err := p.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: "probe", Groups: []string{group}, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: "maintenance.medik8s.io", Resource: "nodes", Subresource: "maintenance", Name: nodes[0], Verb: "create",
			}},
		}, metav1.CreateOptions{})
		if err != nil {
			return err.Error()
		}
		if !review.Status.Allowed {
			return "not allowed yet"
		}
		return ""
	})
}

// people are the columns of the matrix, in its order.
func (a *access) people(t *testing.T) []person {
	t.Helper()
	pool := a.Pool
	named := func(role string) string { return role + "-of-" + pool.Name }
	grantUser(t, pool.Env, editorRole, named("editor"), "create")
	grantUser(t, pool.Env, viewerRole, named("viewer"), "get")
	grantSelfService(t, pool, named("one"), named("team-one"), a.a)
	grantSelfService(t, pool, named("two"), named("team-two"), a.b, a.a)
	account, config := serviceAccountOnly(t, pool)
	grantSelfService(t, pool, named("account"), "system:serviceaccounts:"+pool.Name, a.a)
	return []person{
		{"admin", "admin", admin(t)},
		{"editor", named("editor"), user(t, named("editor"))},
		{"team of A", named("one"), user(t, named("one"), named("team-one"))},
		{"team of A and B", named("two"), user(t, named("two"), named("team-two"))},
		{"viewer", named("viewer"), user(t, named("viewer"))},
		{"stranger", named("stranger"), user(t, named("stranger"))},
		{"anonymous", "system:anonymous", newCaller(t, rest.AnonymousClientConfig(pool.Cluster.Config()))},
		{"service account", account, newCaller(t, config)},
		{"admin as team of A", named("other"), admin(t).with("Impersonate-User", named("other")).with("Impersonate-Group", named("team-one"))},
	}
}

// attempt is a row of the matrix.
type attempt struct {
	what string
	// own and others make a hold on the node before: of the person, and of somebody else.
	own, others string
	method      string
	path        func(a *access, own, others string) string
	contentType string
	body        func(a *access, name string) string
	// allowed has a + for each person who may.
	allowed string
}

func at(path string) func(*access, string, string) string {
	return func(a *access, own, others string) string {
		return strings.NewReplacer("{A}", a.a, "{B}", a.b, "{own}", own, "{others}", others).Replace(path)
	}
}

func body(text string) func(*access, string) string {
	return func(a *access, name string) string {
		return strings.NewReplacer("{A}", a.a, "{B}", a.b, "{name}", name).Replace(text)
	}
}

const (
	newHold = `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"{name}"},"spec":{"nodeName":"%s","stage":"Idle"%s}}`
	forced  = `,"drain":{"onTimeout":"Delete","timeoutSeconds":3600}`
	quick   = `,"drain":{"gracePeriodSeconds":1}`
)

// The columns: admin, editor, team of A, team of A and B, viewer, stranger, anonymous,
// service account with A, admin as team of A.
var matrix = []attempt{
	{what: "create on A", method: "POST", path: at(collection), body: body(fmt.Sprintf(newHold, "{A}", "")), allowed: "++++---++"},
	{what: "create on B", method: "POST", path: at(collection), body: body(fmt.Sprintf(newHold, "{B}", "")), allowed: "++-+-----"},
	{what: "dry run on A", method: "POST", path: at(collection + "?dryRun=All"), body: body(fmt.Sprintf(newHold, "{A}", "")), allowed: "++++---++"},
	{what: "dry run on B", method: "POST", path: at(collection + "?dryRun=All"), body: body(fmt.Sprintf(newHold, "{B}", "")), allowed: "++-+-----"},
	{what: "create on no node of anybody's", method: "POST", path: at(collection), body: body(fmt.Sprintf(newHold, "{A}-absent", "")), allowed: "++-------"},
	{what: "create that deletes", method: "POST", path: at(collection), body: body(fmt.Sprintf(newHold, "{A}", forced)), allowed: "+--------"},
	{what: "create that hurries", method: "POST", path: at(collection), body: body(fmt.Sprintf(newHold, "{A}", quick)), allowed: "+--------"},
	{what: "apply on A", method: "PATCH", contentType: asApply, path: at(collection + "/{own}?fieldManager=test"), body: body(fmt.Sprintf(newHold, "{A}", "")), allowed: "++++---++"},
	{what: "apply on B", method: "PATCH", contentType: asApply, path: at(collection + "/{own}?fieldManager=test"), body: body(fmt.Sprintf(newHold, "{B}", "")), allowed: "++-+-----"},

	{what: "start on A", method: "POST", path: at(nodesPath + "/{A}/maintenance"), body: body(`{"spec":{"stage":"Idle"}}`), allowed: "++++---++"},
	{what: "start on B", method: "POST", path: at(nodesPath + "/{B}/maintenance"), body: body(`{"spec":{"stage":"Idle"}}`), allowed: "++-+-----"},
	{what: "start on B, dry run", method: "POST", path: at(nodesPath + "/{B}/maintenance?dryRun=All"), body: body(`{}`), allowed: "++-+-----"},
	{what: "start that deletes", method: "POST", path: at(nodesPath + "/{A}/maintenance"), body: body(`{"spec":{"stage":"Idle"` + forced + `}}`), allowed: "+--------"},

	{what: "get node A", method: "GET", path: at(nodesPath + "/{A}"), allowed: "+++++--++"},
	{what: "get node B", method: "GET", path: at(nodesPath + "/{B}"), allowed: "++-++----"},
	{what: "list nodes", method: "GET", path: at(nodesPath), allowed: "++--+----"},
	{what: "holds on A", method: "GET", path: at(nodesPath + "/{A}/maintenance"), allowed: "+++++--++"},
	{what: "holds on B", method: "GET", path: at(nodesPath + "/{B}/maintenance"), allowed: "++-++----"},
	{what: "plan of A", method: "GET", path: at(nodesPath + "/{A}/drainplan"), allowed: "+++++--++"},
	{what: "plan of B", method: "GET", path: at(nodesPath + "/{B}/drainplan"), allowed: "++-++----"},
	{what: "list holds", method: "GET", path: at(collection + "?limit=1"), allowed: "+++++--++"},
	{what: "get a hold", others: "A", method: "GET", path: at(collection + "/{others}"), allowed: "+++++--++"},

	{what: "patch one's own on A", own: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}"), body: body(`{"spec":{"reason":"new"}}`), allowed: "++++---++"},
	{what: "patch one's own on B", own: "B", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}"), body: body(`{"spec":{"reason":"new"}}`), allowed: "++-+-----"},
	{what: "have one's own delete", own: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}"), body: body(`{"spec":{"stage":"Idle"` + forced + `}}`), allowed: "+--------"},
	{what: "label one's own", own: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}"), body: body(`{"metadata":{"labels":{"a":"b"}}}`), allowed: "++++---++"},
	{what: "let one's own expire", own: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}"), body: body(`{"spec":{"expirationSeconds":3600}}`), allowed: "++++---++"},
	{what: "patch another's on A", others: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{others}"), body: body(`{"spec":{"reason":"new"}}`), allowed: "++-------"},
	{what: "let another's expire", others: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{others}"), body: body(`{"spec":{"expirationSeconds":3600}}`), allowed: "++-------"},
	{what: "label another's on A", others: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{others}"), body: body(`{"metadata":{"labels":{"a":"b"}}}`), allowed: "++-------"},
	{what: "label another's on B", others: "B", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{others}"), body: body(`{"metadata":{"labels":{"a":"b"}}}`), allowed: "++-------"},
	{what: "status of one's own", own: "A", method: "PATCH", contentType: asMergePatch, path: at(collection + "/{own}/status"), body: body(`{"status":{"lastError":"x"}}`), allowed: "+--------"},

	{what: "delete one's own on A", own: "A", method: "DELETE", path: at(collection + "/{own}"), allowed: "++++---++"},
	{what: "delete one's own on B", own: "B", method: "DELETE", path: at(collection + "/{own}"), allowed: "++-+-----"},
	{what: "delete another's on A", others: "A", method: "DELETE", path: at(collection + "/{others}"), allowed: "++-------"},
	{what: "delete another's, dry run", others: "A", method: "DELETE", path: at(collection + "/{others}?dryRun=All"), allowed: "++-------"},
	{what: "delete all on A", own: "A", others: "A", method: "DELETE", path: at(collection + "?fieldSelector=spec.nodeName%3D{A}"), allowed: "++-------"},
	{what: "end one's own on A", own: "A", others: "A", method: "DELETE", path: at(nodesPath + "/{A}/maintenance"), allowed: "++++---++"},
	{what: "end one's own on B", own: "B", others: "B", method: "DELETE", path: at(nodesPath + "/{B}/maintenance"), allowed: "++-+-----"},
}

// Who may do what, through the aggregator, with one's own and with another's; and a refusal
// changes nothing.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	a := &access{Pool: pool, a: pool.Nodes[0], b: pool.Nodes[1]}
	for column, who := range a.people(t) {
		for row, try := range matrix {
			a.check(t, who, try, try.allowed[column] == '+', fmt.Sprintf("%s-%d-%d", pool.Name, column, row))
		}
	}
}

func (a *access) check(t *testing.T, who person, try attempt, allowed bool, name string) {
	t.Helper()
	own, others := name, name+"-others"
	a.prepare(t, who.name, own, try.own)
	a.prepare(t, "somebody", others, try.others)
	before := a.stored(t)
	text, contentType := "", try.contentType
	if try.body != nil {
		text = try.body(a, name)
	}
	if contentType == "" {
		contentType = asJSON
	}
	got := who.caller.do(t, try.method, try.path(a, own, others), contentType, text)
	switch {
	case allowed && got.code >= http.StatusBadRequest:
		t.Errorf("%s: %s: got %d, want to be allowed: %.500s", who.title, try.what, got.code, got.body)
	case !allowed && got.code != http.StatusForbidden:
		t.Errorf("%s: %s: got %d, want 403: %.500s", who.title, try.what, got.code, got.body)
	case !allowed && a.stored(t) != before:
		t.Errorf("%s: %s: a refusal changed something:\n%s\nbefore\n%s", who.title, try.what, a.stored(t), before)
	}
	a.clear(t)
}

// prepare creates a hold in somebody's name, whatever they may do, on A or B; nothing where on is
// empty.
func (a *access) prepare(t *testing.T, requestor, name, on string) {
	t.Helper()
	if on == "" {
		return
	}
	node := map[string]string{"A": a.a, "B": a.b}[on]
	admin(t).with("Impersonate-User", requestor).with("Impersonate-Group", "system:masters").
		do(t, http.MethodPost, collection, asJSON, manifest(name, `{"nodeName":"`+node+`","stage":"Idle"}`)).want(t, http.StatusCreated)
}

// stored has a line for each hold on the nodes of the test.
func (a *access) stored(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, hold := range a.holds(t) {
		lines = append(lines, fmt.Sprintf("%s %s %+v %v %v", hold.Name, hold.UID, hold.Spec, hold.Labels, hold.DeletionTimestamp))
	}
	return strings.Join(lines, "\n")
}

func (a *access) holds(t *testing.T) []v1beta1.NodeMaintenance {
	t.Helper()
	list, err := a.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var ours []v1beta1.NodeMaintenance
	for _, hold := range list.Items {
		if strings.HasPrefix(hold.Spec.NodeName, a.Name) {
			ours = append(ours, hold)
		}
	}
	return ours
}

// clear ends all holds of the test.
func (a *access) clear(t *testing.T) {
	t.Helper()
	for _, hold := range a.holds(t) {
		if hold.DeletionTimestamp == nil {
			a.Delete(t, hold.Name)
		}
	}
	env.Eventually(t, "the holds go", func(context.Context) string { return a.stored(t) })
}
