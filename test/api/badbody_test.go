// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestBodiesThatAreNoNodeMaintenance(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	tests := map[string]struct {
		contentType, body string
		want              int
		text              string
	}{
		"nothing":            {asJSON, "", http.StatusBadRequest, "must be of type NodeMaintenance"},
		"half of an object":  {asJSON, `{"metadata":{"name":"` + name + `"`, http.StatusBadRequest, "json parse error"},
		"no JSON":            {asJSON, "no json", http.StatusBadRequest, "json parse error"},
		"a list":             {asJSON, "[]", http.StatusBadRequest, ""},
		"a text":             {asJSON, `"a"`, http.StatusBadRequest, ""},
		"null":               {asJSON, "null", http.StatusUnprocessableEntity, "spec.nodeName: Required value"},
		"bad YAML":           {asYAML, "metadata: {name: " + name + "}\nspec: {nodeName: [", http.StatusBadRequest, "yaml"},
		"another kind":       {asJSON, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"}}`, http.StatusBadRequest, "Pod"},
		"an unknown kind":    {asJSON, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"Other","metadata":{"name":"` + name + `"}}`, http.StatusBadRequest, "Other"},
		"a list of the kind": {asJSON, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenanceList","items":[]}`, http.StatusBadRequest, "NodeMaintenanceList"},
		"another version":    {asJSON, strings.Replace(manifest(name, `{"nodeName":"a"}`), "v1beta1", "v1", 1), http.StatusBadRequest, "maintenance.medik8s.io/v1"},
		"a number for text":  {asJSON, manifest(name, `{"nodeName":5}`), http.StatusBadRequest, "spec.nodeName"},
		"text for a number":  {asJSON, manifest(name, `{"nodeName":"a","drain":{"timeoutSeconds":"60"}}`), http.StatusBadRequest, "spec.drain.timeoutSeconds"},
		"half a second":      {asJSON, manifest(name, `{"nodeName":"a","drain":{"timeoutSeconds":0.5}}`), http.StatusBadRequest, "spec.drain.timeoutSeconds"},
		"over 64 bits":       {asJSON, manifest(name, `{"nodeName":"a","drain":{"timeoutSeconds":99999999999999999999}}`), http.StatusBadRequest, "spec.drain.timeoutSeconds"},
		"no text at all":     {"text/plain", manifest(name, `{"nodeName":"a"}`), http.StatusUnsupportedMediaType, "application/json"},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := admin(t).do(t, http.MethodPost, collection, test.contentType, test.body).want(t, test.want)
			wantContains(t, "message", got.status(t).Message, test.text)
			wantNotStored(t, pool, name)
		})
	}
}

func TestBadMetadata(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	tests := map[string]struct{ metadata, field string }{
		"no name":             {`{}`, "metadata.name"},
		"name in upper":       {`{"name":"Worker"}`, "metadata.name"},
		"name of a path":      {`{"name":"a/b"}`, "metadata.name"},
		"name too long":       {`{"name":"` + strings.Repeat("a", 254) + `"}`, "metadata.name"},
		"bad label":           {`{"name":"` + pool.Name + `-a","labels":{"-":"x"}}`, "metadata.labels"},
		"bad annotation":      {`{"name":"` + pool.Name + `-a","annotations":{"-":"x"}}`, "metadata.annotations"},
		"bad finalizer":       {`{"name":"` + pool.Name + `-a","finalizers":["a b"]}`, "metadata.finalizers"},
		"owner without a uid": {`{"name":"` + pool.Name + `-a","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a"}]}`, "metadata.ownerReferences[0].uid"},
		"a version":           {`{"name":"` + pool.Name + `-a","resourceVersion":"5"}`, "metadata.resourceVersion"},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			admin(t).do(t, http.MethodPost, collection, asJSON, manifestWith(test.metadata, `{"nodeName":"`+absentNode(pool)+`"}`)).
				want(t, http.StatusUnprocessableEntity).wantCauses(t, test.field)
			wantNotStored(t, pool, pool.Name+"-a")
		})
	}
}

// The server's own fields of metadata are set by the server, whatever a body says.
func TestMetadataOfTheServer(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	metadata := `{"name":"` + name + `","namespace":"default","uid":"mine","generation":7,"selfLink":"/x",
		"creationTimestamp":"2020-01-01T00:00:00Z","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":5}`
	admin(t).do(t, http.MethodPost, collection, asJSON, manifestWith(metadata, `{"nodeName":"`+absentNode(pool)+`"}`)).want(t, http.StatusCreated)
	got := get(t, pool, name)
	if got.UID == "mine" || got.Generation != 1 || got.Namespace != "" || got.CreationTimestamp.Year() == 2020 || got.DeletionTimestamp != nil || got.DeletionGracePeriodSeconds != nil {
		t.Errorf("got metadata %+v", got.ObjectMeta)
	}
}

// Bodies up to the limit get a clear answer, larger ones are cut off.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	const justBelow, above = 2_500_000, 3<<20 + 1
	// Enough to be refused for our own bound: managedFields take quadratic time in
	// the number of items.
	const manyBelow = 800_000
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	node := `"nodeName":"` + absentNode(pool) + `"`
	// Few and long.
	const label = `"long-%0200d.example.com/label":"value",`
	many := func(size int, item string) string {
		var text strings.Builder
		for i := 0; text.Len() < size; i++ {
			fmt.Fprintf(&text, item, i)
		}
		return strings.TrimSuffix(text.String(), ",")
	}
	bodies := map[string]struct {
		body  func(size int) string
		field string
		below int
	}{
		"reason":    {func(size int) string { return manifest(name, `{`+node+`,"reason":"`+strings.Repeat("a", size)+`"}`) }, "spec.reason", justBelow},
		"node name": {func(size int) string { return manifest(name, `{"nodeName":"`+strings.Repeat("a", size)+`"}`) }, "spec.nodeName", justBelow},
		"selector": {func(size int) string {
			return manifest(name, `{`+node+`,"drain":{"podSelector":{"matchLabels":{`+many(size, label)+`}}}}`)
		}, "spec.drain.podSelector", manyBelow},
		"labels": {func(size int) string {
			return manifestWith(`{"name":"`+name+`","labels":{`+many(size, label)+`}}`, `{`+node+`}`)
		}, "metadata", manyBelow},
		"finalizers": {func(size int) string {
			return manifestWith(`{"name":"`+name+`","finalizers":[`+many(size, `"long-%0200d.example.com/finalizer",`)+`]}`, `{`+node+`}`)
		}, "metadata", manyBelow},
		"annotations": {func(size int) string {
			return manifestWith(`{"name":"`+name+`","annotations":{"a":"`+strings.Repeat("a", size)+`"}}`, `{`+node+`}`)
		}, "metadata", justBelow},
	}
	for title, test := range bodies {
		t.Run(title, func(t *testing.T) {
			refused := admin(t).do(t, http.MethodPost, collection, asJSON, test.body(test.below)).want(t, http.StatusUnprocessableEntity)
			wantContains(t, "message", refused.status(t).Message, test.field+": Too long: may not be more than ")
			if len(refused.body) > 10_000 {
				t.Errorf("the refusal quotes the body: it has %d bytes", len(refused.body))
			}
			tooLarge := admin(t).do(t, http.MethodPost, collection, asJSON, test.body(above)).want(t, http.StatusRequestEntityTooLarge)
			wantContains(t, "message", tooLarge.status(t).Message, "limit is 3145728")
			wantNotStored(t, pool, name)
		})
	}
	hold := createQuiet(t, pool, "b")
	patch := `{"metadata":{"labels":{` + many(manyBelow, label) + `}}}`
	admin(t).do(t, http.MethodPatch, collection+"/"+hold.Name, asMergePatch, patch).want(t, http.StatusUnprocessableEntity)
	patch = `{"spec":{"reason":"` + strings.Repeat("a", above) + `"}}`
	admin(t).do(t, http.MethodPatch, collection+"/"+hold.Name, asMergePatch, patch).want(t, http.StatusRequestEntityTooLarge)
	newCaller(t, direct(t, pool.Cluster.Config())).do(t, http.MethodPatch, collection+"/"+hold.Name, asMergePatch, patch).
		want(t, http.StatusRequestEntityTooLarge)
	out := pool.Kubectl().Try(t, manifest(name, `{"nodeName":"a","reason":"`+strings.Repeat("a", above)+`"}`), "create", "-f", "-")
	wantContains(t, "kubectl", out.Stderr, "(RequestEntityTooLarge)")
	if got := get(t, pool, hold.Name); got.ResourceVersion != hold.ResourceVersion {
		t.Error("a refused patch was stored")
	}
}

// The largest that is taken can be changed and deleted like any other.
func TestLargestObjectLives(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := pool.Hold("a", absentNode(pool))
	hold.Annotations = map[string]string{"a": strings.Repeat("a", 4_000)}
	hold.Labels = manyLabels(700, 20)
	hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: manyLabels(150, 63)}
	created := settled(t, pool, pool.Create(t, hold).Name)
	created.Status = v1beta1.NodeMaintenanceStatus{}
	encoded, err := json.Marshal(created)
	if err != nil {
		t.Fatal(err)
	}
	if size, limit := len(encoded), 64<<10; size < limit*9/10 {
		t.Errorf("the hold has %d bytes, want nearly the limit, %d", size, limit)
	}
	name := created.Name
	pool.Kubectl().Must(t, "", "patch", "nm", name, "--type=merge", "-p", `{"spec":{"stage":"Cordon"}}`)
	settled(t, pool, name)
	pool.Kubectl().Must(t, "", "delete", "nm", name)
}

func manyLabels(count, valueLength int) map[string]string {
	labels := map[string]string{}
	for i := range count {
		labels[fmt.Sprintf("label-%07d", i)] = strings.Repeat("v", valueLength)
	}
	return labels
}
