// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A team that was given the node A tries to get at the node B, whose name begins with A's, by
// whatever a request can be made of. What it gets at must be refused or be its own node.
func TestNoWayToAnotherNode(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	a := &access{Pool: pool, a: pool.Nodes[0], b: pool.Nodes[0] + "0"}
	name, team := "member-of-"+pool.Name, "team-of-"+pool.Name
	grantSelfService(t, pool, "of-"+pool.Name, team, a.a)
	a.prepare(t, "somebody", pool.Name+"-b", "B")
	foreign := get(t, pool, pool.Name+"-b")
	member := user(t, name, team)
	own := pool.Name + "-own"
	member.do(t, http.MethodPost, collection, asJSON, manifest(own, `{"nodeName":"`+a.a+`","stage":"Idle"}`)).want(t, http.StatusCreated)
	before := a.stored(t)

	spoofed := map[string]caller{
		"as it is":                 member,
		"as another user":          member.with("Impersonate-User", "admin").with("Impersonate-Group", "system:masters"),
		"with the proxy's headers": member.with("X-Remote-User", "admin").with("X-Remote-Group", "system:masters"),
		"directly, with them":      newCaller(t, direct(t, userConfig(t, name, team))).with("X-Remote-User", "admin").with("X-Remote-Group", "system:masters"),
		"directly, as another":     newCaller(t, direct(t, userConfig(t, name, team))).with("Impersonate-User", "admin"),
	}
	tries := []struct{ method, path, contentType, body string }{
		{method: "POST", path: nodesPath + "/{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{A}%2F..%2F{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{A}/../{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{A}/maintenance/../../{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{A}%2Fmaintenance/../{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "//{B}/maintenance", body: `{}`},
		{method: "POST", path: "/" + nodesPath + "/{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{B}/maintenance/", body: `{}`},
		{method: "POST", path: nodesPath + "/{B};x={A}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{B}%00/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{B}%20/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/%74{B}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{AUPPER}/maintenance", body: `{}`},
		{method: "POST", path: nodesPath + "/{A}/maintenance", body: `{"spec":{"nodeName":"{B}"}}`},
		{method: "POST", path: nodesPath + "/{A}/maintenance?name={B}", body: `{"metadata":{"name":"{B}"}}`},
		{method: "POST", path: nodesPath + "/{A}/maintenance", body: `{"metadata":{"generateName":"{B}-"}}`},
		{method: "POST", path: nodesPath + "/{A}/drainplan", body: `{}`},
		{method: "POST", path: nodesPath + "/{B}", body: `{}`},
		{method: "POST", path: collection, body: `{"metadata":{"generateName":"x-"},"spec":{"nodeName":"{B}"}}`},
		{method: "POST", path: collection, body: `{"metadata":{"name":"{A}","namespace":"{A}"},"spec":{"nodeName":"{B}"}}`},
		{method: "POST", path: collection, body: `{"metadata":{"name":"{A}"},"spec":{"nodeName":"{A}","nodeName":"{B}"}}`},
		{method: "POST", path: collection, body: `{"metadata":{"name":"{A}"},"spec":{"nodeName":"{A}/../{B}"}}`},
		{method: "PATCH", contentType: asMergePatch, path: collection + "/{own}", body: `{"spec":{"nodeName":"{B}"}}`},
		{method: "PATCH", contentType: asStrategicPatch, path: collection + "/{own}", body: `{"spec":{"nodeName":"{B}"}}`},
		{method: "PATCH", contentType: asJSONPatch, path: collection + "/{own}", body: `[{"op":"replace","path":"/spec/nodeName","value":"{B}"}]`},
		{method: "PATCH", contentType: asApply, path: collection + "/{own}?fieldManager=x&force=true", body: `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","spec":{"nodeName":"{B}"}}`},
		{method: "PATCH", contentType: asMergePatch, path: collection + "/{own}", body: `{"spec":{"requestor":"admin"}}`},
		{method: "PATCH", contentType: asMergePatch, path: collection + "/{foreign}", body: `{"spec":{"nodeName":"{A}","stage":"Drain"}}`},
		{method: "PATCH", contentType: asMergePatch, path: collection + "/{foreign}", body: `{"metadata":{"finalizers":["example.com/mine"]}}`},
		{method: "PATCH", contentType: asMergePatch, path: nodesPath + "/{A}", body: `{"metadata":{"labels":{"a":"b"}}}`},
		{method: "PUT", path: collection + "/{own}", body: `{"metadata":{"name":"{own}"},"spec":{"nodeName":"{B}"}}`},
		{method: "DELETE", path: collection + "/{foreign}", body: `{"preconditions":{"uid":"{foreignUID}"}}`},
		{method: "DELETE", path: collection + "?fieldSelector=metadata.name%3D{foreign}"},
		{method: "DELETE", path: collection},
		{method: "DELETE", path: nodesPath + "/{A}/maintenance", body: `{"preconditions":{"uid":"{foreignUID}"}}`},
		{method: "DELETE", path: nodesPath + "/{B}/maintenance"},
		{method: "DELETE", path: nodesPath + "/{B}"},
		{method: "GET", path: nodesPath + "/{B}/drainplan"},
		{method: "GET", path: nodesPath + "/{B}/maintenance"},
		{method: "GET", path: nodesPath + "?fieldSelector=metadata.name%3D{B}"},
		{method: "GET", path: "/api/v1/nodes/{A}"},
		{method: "PATCH", contentType: asMergePatch, path: "/api/v1/nodes/{A}", body: `{"spec":{"unschedulable":true}}`},
		{method: "POST", path: "/api/v1/namespaces/default/pods/x/eviction", body: `{}`},
	}
	fill := strings.NewReplacer("{AUPPER}", strings.ToUpper(a.a), "{A}", a.a, "{B}", a.b, "{own}", own, "{foreignUID}", string(foreign.UID), "{foreign}", foreign.Name)
	for how, caller := range spoofed {
		for _, try := range tries {
			contentType := try.contentType
			if contentType == "" {
				contentType = asJSON
			}
			got := caller.do(t, try.method, fill.Replace(try.path), contentType, fill.Replace(try.body))
			if !slices.Contains([]int{400, 401, 403, 404, 405, 409, 415, 422}, got.code) {
				t.Errorf("%s: %s %s %s: got %d: %.300s", how, try.method, try.path, try.body, got.code, got.body)
			}
			if now := a.stored(t); now != before {
				t.Fatalf("%s: %s %s %s: got %d and changed something:\n%s\nbefore\n%s", how, try.method, try.path, try.body, got.code, now, before)
			}
		}
	}
}

// A team ends no hold of another's on its own node by what is not the spec: an owner that is not there has
// the garbage collector delete it, labels and annotations have kubectl apply --prune do that, and a finalizer
// keeps it from ending.
func TestNoEndOfAnothersHold(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	name, team := "member-of-"+pool.Name, "team-of-"+pool.Name
	grantSelfService(t, pool, "of-"+pool.Name, team, pool.Nodes[0])
	hold := pool.Hold("admins", pool.Nodes[0])
	hold.Spec.Stage = "Idle"
	pool.Create(t, hold)
	member, path := user(t, name, team), collection+"/"+hold.Name
	for _, metadata := range []string{
		`{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"none","uid":"x"}]}`,
		`{"finalizers":["example.com/kept"]}`,
		`{"labels":{"seen":"yes"}}`,
		`{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}`,
		`{"managedFields":[{}]}`,
	} {
		refused := member.do(t, http.MethodPatch, path, asMergePatch, `{"metadata":`+metadata+`}`).want(t, http.StatusForbidden)
		wantContains(t, "message", refused.status(t).Message, `cannot update resource "nodes/holds"`, `named "`+pool.Nodes[0]+`"`, `a hold of "admin"`)
	}
	member.do(t, http.MethodPatch, path, asMergePatch, `{}`).want(t, http.StatusOK)
	taken := v1beta1.HoldName(pool.Nodes[0], "admin")
	refused := member.do(t, http.MethodPost, collection, asJSON, manifest(taken, `{"nodeName":"`+pool.Nodes[0]+`","stage":"Idle"}`)).want(t, http.StatusUnprocessableEntity)
	wantContains(t, "message", refused.status(t).Message, "metadata.name: Invalid value", "is kept for a hold that is created through nodes/"+pool.Nodes[0]+"/maintenance")
}

// A refusal says exactly what is missing, in the words of RBAC.
func TestRefusalNamesTheRight(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	a := &access{Pool: pool, a: pool.Nodes[0], b: pool.Nodes[1]}
	name, team := "member-of-"+pool.Name, "team-of-"+pool.Name
	grantSelfService(t, pool, "of-"+pool.Name, team, a.a)
	a.prepare(t, "somebody", pool.Name+"-others", "A")
	kubectl := pool.KubectlAs(t, name, team)
	lacks := func(verb, resource, node string) string {
		return `User "` + name + `" cannot ` + verb + ` resource "` + resource + `" in API group "maintenance.medik8s.io" named "` + node + `"`
	}
	for want, args := range map[string][]string{
		lacks("create", "nodes/maintenance", a.b):                                     {"create", "-f", "-"},
		lacks("delete", "nodes/holds", a.a) + `, which a hold of "somebody" asks for`: {"delete", "nm", pool.Name + "-others"},
		lacks("update", "nodes/holds", a.a) + `, which a hold of "somebody" asks for`: {"patch", "nm", pool.Name + "-others", "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`},
	} {
		out := kubectl.Try(t, manifest(pool.Name+"-new", `{"nodeName":"`+a.b+`"}`), args...)
		if out.Code == 0 {
			t.Errorf("kubectl %v was allowed", args)
		}
		wantContains(t, strings.Join(args, " "), out.Stderr, "(Forbidden)", want)
	}
	out := kubectl.Try(t, manifest(pool.Name+"-new", `{"nodeName":"`+a.a+`","stage":"Idle","drain":{"onTimeout":"Delete","timeoutSeconds":60}}`), "create", "-f", "-")
	wantContains(t, "create that deletes", out.Stderr, "(Forbidden)", lacks("force", "nodes/maintenance", a.a)+", which spec.drain.onTimeout: Delete asks for")
	for node, want := range map[string]string{a.a: "yes", a.b: "no"} {
		if got := strings.TrimSpace(kubectl.Try(t, "", "auth", "can-i", "create", "nodes.maintenance.medik8s.io/"+node, "--subresource=maintenance").Stdout); got != want {
			t.Errorf("can-i for %s: got %q, want %q", node, got, want)
		}
	}
}
