// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// badSpecs are what creates and updates refuse alike: parts of a spec beside the
// node's name, and the fields that the refusal names.
var badSpecs = map[string]struct {
	spec   string
	fields []string
}{
	"unknown stage":             {`"stage":"Reboot"`, []string{"spec.stage"}},
	"stage in lower case":       {`"stage":"drain"`, []string{"spec.stage"}},
	"reason too long":           {`"reason":"` + strings.Repeat("é", 1025) + `"`, []string{"spec.reason"}},
	"grace period negative":     {`"drain":{"gracePeriodSeconds":-1}`, []string{"spec.drain.gracePeriodSeconds"}},
	"grace period zero":         {`"drain":{"gracePeriodSeconds":0}`, []string{"spec.drain.gracePeriodSeconds"}},
	"grace period of a year":    {`"drain":{"gracePeriodSeconds":31536000}`, []string{"spec.drain.gracePeriodSeconds"}},
	"timeout negative":          {`"drain":{"timeoutSeconds":-30}`, []string{"spec.drain.timeoutSeconds"}},
	"timeout zero":              {`"drain":{"timeoutSeconds":0}`, []string{"spec.drain.timeoutSeconds"}},
	"timeout in nanoseconds":    {`"drain":{"timeoutSeconds":30000000000}`, []string{"spec.drain.timeoutSeconds"}},
	"timeout over all bounds":   {`"drain":{"timeoutSeconds":9223372036854775807}`, []string{"spec.drain.timeoutSeconds"}},
	"selector with a bad key":   {`"drain":{"podSelector":{"matchLabels":{"-a":"b"}}}`, []string{"spec.drain.podSelector.matchLabels"}},
	"selector with a bad value": {`"drain":{"podSelector":{"matchLabels":{"a":"b c"}}}`, []string{"spec.drain.podSelector.matchLabels"}},
	"selector with a bad operator": {
		`"drain":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Is","values":["b"]}]}}`,
		[]string{"spec.drain.podSelector.matchExpressions[0].operator"},
	},
	"selector without values": {
		`"drain":{"podSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}`,
		[]string{"spec.drain.podSelector.matchExpressions[0].values"},
	},
	"selector with needless values": {
		`"drain":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}}`,
		[]string{"spec.drain.podSelector.matchExpressions[0].values"},
	},
	"unknown onTimeout":           {`"drain":{"timeoutSeconds":30,"onTimeout":"Ignore"}`, []string{"spec.drain.onTimeout"}},
	"onTimeout without a timeout": {`"drain":{"onTimeout":"Delete"}`, []string{"spec.drain.timeoutSeconds"}},
	"unknown unmanagedPods":       {`"drain":{"unmanagedPods":"Delete"}`, []string{"spec.drain.unmanagedPods"}},
	"emptyDirPods in lower case":  {`"drain":{"emptyDirPods":"block"}`, []string{"spec.drain.emptyDirPods"}},
	"rule without an action":      {`"drain":{"rules":[{"action":"Skip"},{"podSelector":{}}]}`, []string{"spec.drain.rules[1].action"}},
	"rule with an unknown action": {`"drain":{"rules":[{"action":"skip"}]}`, []string{"spec.drain.rules[0].action"}},
	"order of what is skipped":    {`"drain":{"rules":[{"action":"Skip","order":-1}]}`, []string{"spec.drain.rules[0].order"}},
	"order of what completes":     {`"drain":{"rules":[{"action":"WaitCompleted","order":1}]}`, []string{"spec.drain.rules[0].order"}},
	"rule with a bad selector": {
		`"drain":{"rules":[{"action":"Drain","podSelector":{"matchLabels":{"-a":"b"}}}]}`, []string{"spec.drain.rules[0].podSelector.matchLabels"},
	},
	"rule with a bad namespace selector": {
		`"drain":{"rules":[{"action":"Drain","namespaceSelector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}]}`,
		[]string{"spec.drain.rules[0].namespaceSelector.matchExpressions[0].operator"},
	},
	"too many rules": {`"drain":{"rules":[` + strings.Repeat(`{"action":"Skip"},`, 64) + `{"action":"Skip"}]}`, []string{"spec.drain.rules"}},
	"rules too long": {
		`"drain":{"rules":[{"action":"Skip","podSelector":{"matchExpressions":[{"key":"a","operator":"In","values":["b"` +
			strings.Repeat(`,"`+strings.Repeat("c", 63)+`"`, 1000) + `]}]}}]}`,
		[]string{"spec.drain.rules"},
	},
	"everything at once": {
		`"stage":"","reason":"` + strings.Repeat("x", 2000) + `","drain":{"gracePeriodSeconds":0,"timeoutSeconds":-1}`,
		[]string{"spec.reason", "spec.drain.gracePeriodSeconds", "spec.drain.timeoutSeconds"},
	},
}

func TestBadSpecIsRefusedByCreate(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	refused := func(t *testing.T, name, spec string, fields []string) {
		t.Helper()
		body := manifest(name, spec)
		admin(t).do(t, http.MethodPost, collection, asJSON, body).want(t, http.StatusUnprocessableEntity).wantCauses(t, fields...)
		admin(t).do(t, http.MethodPatch, collection+"/"+name+"?fieldManager=test", asApply, body).
			want(t, http.StatusUnprocessableEntity).wantCauses(t, fields...)
		wantNotStored(t, pool, name)
	}
	for name, test := range badSpecs {
		t.Run(name, func(t *testing.T) {
			refused(t, pool.Name+"-a", `{"nodeName":"`+absentNode(pool)+`",`+test.spec+`}`, test.fields)
		})
	}
	for name, spec := range map[string]string{
		"no spec":             `{}`,
		"no node":             `{"reason":"x"}`,
		"empty node":          `{"nodeName":""}`,
		"node name too long":  `{"nodeName":"` + strings.Repeat("a", 254) + `"}`,
		"node name of a path": `{"nodeName":"../nodes/a"}`,
		"node name in upper":  `{"nodeName":"Worker-1"}`,
		"node name of spaces": `{"nodeName":"  "}`,
		"node name of quotes": `{"nodeName":"a\"b"}`,
		"node name with null": `{"nodeName":null}`,
	} {
		t.Run(name, func(t *testing.T) { refused(t, pool.Name+"-a", spec, []string{"spec.nodeName"}) })
	}
}

func wantNotStored(t *testing.T, p *env.Pool, name string) {
	t.Helper()
	if _, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the refusal: got %v, want not found", err)
	}
}

func TestBadSpecIsRefusedByUpdate(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	path := collection + "/" + hold.Name
	refused := func(t *testing.T, spec string, fields []string) {
		t.Helper()
		patch := `{"spec":{` + spec + `}}`
		for _, kind := range []string{asMergePatch, asStrategicPatch} {
			admin(t).do(t, http.MethodPatch, path, kind, patch).want(t, http.StatusUnprocessableEntity).wantCauses(t, fields...)
		}
		replacement := get(t, pool, hold.Name)
		replacement.APIVersion, replacement.Kind = "maintenance.medik8s.io/v1beta1", "NodeMaintenance"
		if err := json.Unmarshal([]byte(patch), replacement); err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(replacement)
		if err != nil {
			t.Fatal(err)
		}
		admin(t).do(t, http.MethodPut, path, asJSON, string(body)).want(t, http.StatusUnprocessableEntity).wantCauses(t, fields...)
		if got := get(t, pool, hold.Name); got.ResourceVersion != hold.ResourceVersion {
			t.Errorf("the refused update was stored (-before +after):\n%s", cmp.Diff(hold, got))
		}
	}
	for name, test := range badSpecs {
		t.Run(name, func(t *testing.T) { refused(t, test.spec, test.fields) })
	}
	for name, test := range map[string]struct{ spec, field string }{
		"another node":      {`"nodeName":"another"`, "spec.nodeName"},
		"no node":           {`"nodeName":""`, "spec.nodeName"},
		"another requestor": {`"requestor":"bob"`, "spec.requestor"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, test.spec, []string{test.field}) })
	}
}

// What people see on their terminal.
func TestRefusalOnTheTerminal(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	tests := []struct {
		args, stdin, want string
	}{
		{
			"create -f -", manifest("x", `{"nodeName":"a","drain":{"timeoutSeconds":0}}`),
			`The NodeMaintenance "x" is invalid: spec.drain.timeoutSeconds: Invalid value: 0: must be between 1 and 2592000, inclusive (30 days)`,
		},
		{"create -f -", manifest("x", `{"nodeName":"a","stage":"Off"}`), `spec.stage: Unsupported value: "Off": supported values: "Idle", "Cordon", "Drain"`},
		{
			"create -f -", manifest("x", `{"nodeName":"a","drain":{"rules":[{"podSelector":{}}]}}`),
			`spec.drain.rules[0].action: Required value: must be Drain, Skip or WaitCompleted`,
		},
		{"create -f -", manifest("x", `{"nodeName":"a","requestor":"bob"}`), `spec.requestor: Invalid value: "bob": must be "admin", the user who makes the request`},
		{"create -f -", manifest("x", `{"nodeName":"a","nodename":"b"}`), `strict decoding error: unknown field "spec.nodename"`},
		{"create -f -", manifest("x", `{"nodeName":"a","reason":"new\u0007"}`), `spec.reason: Invalid value: "new\a": must not have the control character BEL (U+0007), which is at position 4`},
		{"create --validate=strict -f -", manifest("x", `{"nodeName":"a","drain":{"podselector":{}}}`), `unknown field "spec.drain.podselector"`},
		{"apply --server-side -f -", manifest("x", `{"nodeName":"a","drain":{"force":true}}`), `field not declared in schema`},
		{"patch nm " + hold.Name + ` --type=merge -p {"spec":{"nodeName":"b"}}`, "", `spec.nodeName: Invalid value: "b": field is immutable: must stay "` + absentNode(pool) + `"`},
	}
	for _, test := range tests {
		out := pool.Kubectl().Try(t, test.stdin, strings.Fields(test.args)...)
		if out.Code == 0 {
			t.Errorf("kubectl %s: %s was taken", test.args, test.stdin)
		}
		wantContains(t, "stderr", out.Stderr, test.want)
	}
	wantNotStored(t, pool, "x")
}

// A field that is unknown or given twice is refused, unless the client asks for something else.
func TestUnknownFieldsAreRefused(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name, node := pool.Name+"-a", absentNode(pool)
	ofNode := nodesPath + "/" + node + "/maintenance"
	hold := collection + "/" + createQuiet(t, pool, "b").Name
	const asJSONPatch = "application/json-patch+json"
	tests := map[string]struct{ method, path, contentType, body, text string }{
		"POST of the node":  {http.MethodPost, ofNode, asJSON, `{"spec":{"drain":{"podSelectr":{}}}}`, `unknown field "spec.drain.podSelectr"`},
		"create":            {http.MethodPost, collection, asJSON, manifest(name, `{"nodeName":"`+node+`","nodename":"b"}`), `unknown field "spec.nodename"`},
		"create in YAML":    {http.MethodPost, collection, asYAML, "metadata: {name: " + name + "}\nspec: {nodeName: " + node + ", nodename: b}", `unknown field "spec.nodename"`},
		"a field twice":     {http.MethodPost, collection, asJSON, manifest(name, `{"nodeName":"`+node+`","stage":"Idle","stage":"Drain"}`), `duplicate field "spec.stage"`},
		"twice in YAML":     {http.MethodPost, ofNode, asYAML, "spec: {stage: Idle, stage: Drain}", `"stage" already set in map`},
		"merge patch":       {http.MethodPatch, hold, asMergePatch, `{"spec":{"drain":{"podSelectr":{}}}}`, `unknown field "spec.drain.podSelectr"`},
		"JSON patch":        {http.MethodPatch, hold, asJSONPatch, `[{"op":"add","path":"/spec/nodename","value":"b"}]`, `unknown field "spec.nodename"`},
		"apply":             {http.MethodPatch, hold + "?fieldManager=m", asApply, manifest(pool.Name+"-b", `{"nodename":"b"}`), "field not declared in schema"},
		"apply of it twice": {http.MethodPatch, hold + "?fieldManager=m&force=true", asApply, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","spec":{"stage":"Idle","stage":"Idle"}}`, "already set in map"},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			refused := admin(t).do(t, test.method, test.path, test.contentType, test.body)
			if refused.code < http.StatusBadRequest {
				t.Fatalf("got %d: %s", refused.code, refused.body)
			}
			wantContains(t, "message", refused.status(t).Message, test.text)
			wantNotStored(t, pool, name)
		})
	}
	admin(t).do(t, http.MethodPost, ofNode+"?dryRun=All&fieldValidation=Ignore", asJSON, `{"spec":{"x":1}}`).want(t, http.StatusCreated)
}

// If the client asks for a warning, an unknown field is dropped, with a warning.
func TestUnknownFieldsWarn(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	out := pool.Kubectl().Try(t, manifest(pool.Name+"-a", `{"nodeName":"`+absentNode(pool)+`","force":true}`), "create", "--validate=warn", "-f", "-")
	if out.Code != 0 {
		t.Fatalf("%+v", out)
	}
	wantContains(t, "stderr", out.Stderr, `Warning: unknown field "spec.force"`)
}
