// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

func node(t *testing.T) map[string]any {
	t.Helper()
	value, err := expression.NodeValue(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "worker-1", Labels: map[string]string{"os": "flatcar", "example.com/zone": "a"}, Generation: 3,
		},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{
			NodeInfo:    corev1.NodeSystemInfo{KernelVersion: "6.1.2"},
			Capacity:    corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

var database = map[string]any{
	"metadata": map[string]any{"name": "db", "namespace": "data", "labels": map[string]any{"a": "b"}},
	"spec":     map[string]any{"replicas": int64(3), "ratio": 0.5},
	"status": map[string]any{
		"ready": true, "phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
	},
}

var pools = expression.Response{
	Status:  200,
	Headers: map[string]string{"content-type": "application/json"},
	Body:    `{"size": 3, "share": 0.5, "spec": {"nodePools": [{"size": 2}, {"size": 1}]}}`,
}

// conditions are expressions with a bool. Each is admitted and has the value that is wanted.
func TestConditions(t *testing.T) {
	t.Parallel()
	in := expression.Input{
		Node: node(t), Object: database, Objects: []map[string]any{database, database}, Response: pools, NodeCount: 3, Value: 1,
	}
	for name, tc := range map[string]struct {
		environment *expression.Environment[bool]
		source      string
		want        bool
	}{
		"label":              {expression.Node, `node.metadata.labels["os"] == "flatcar"`, true},
		"kernel":             {expression.Node, `node.status.nodeInfo.kernelVersion.startsWith('6.')`, true},
		"label is there":     {expression.Node, `"example.com/zone" in node.metadata.labels`, true},
		"field is there":     {expression.Node, `has(node.spec.unschedulable) && node.spec.unschedulable`, false},
		"taints":             {expression.Node, `node.spec.taints.exists(t, t.key == "k")`, true},
		"optional":           {expression.Node, `node.metadata.?labels["none"].orValue("") == ""`, true},
		"quantity":           {expression.Node, `quantity(node.status.allocatable.memory).isLessThan(quantity("8Gi"))`, true},
		"semver":             {expression.Node, `semver(node.status.nodeInfo.kernelVersion).isGreaterThan(semver("6.1.0"))`, true},
		"whole number":       {expression.Node, `node.metadata.generation == 3 && node.metadata.generation < 4.5`, true},
		"another node":       {expression.Node, `[{"x": true}].all(node, node.x)`, true},
		"two variables":      {expression.Node, `node.metadata.labels.all(k, v, k != "" && v != "")`, true},
		"object":             {expression.Object, `object.status.ready`, true},
		"reserved field":     {expression.Object, `object.metadata.namespace == "data"`, true},
		"object and node":    {expression.Object, `object.metadata.name == node.metadata.name`, false},
		"conditions":         {expression.Object, `object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")`, true},
		"objects":            {expression.Objects, `objects.all(o, o.status.ready)`, true},
		"conditions of all":  {expression.Objects, `objects.all(o, o.status.conditions.exists(c, c.type == "Ready"))`, true},
		"number of objects":  {expression.Objects, `size(objects) > 2`, false},
		"sum over objects":   {expression.Objects, `objects.map(o, int(o.spec.replicas)).sum() == 6`, true},
		"status":             {expression.HTTP, `response.status == 200`, true},
		"header":             {expression.HTTP, `response.headers["content-type"] == "application/json"`, true},
		"body":               {expression.HTTP, `response.body.contains("size")`, true},
		"json":               {expression.HTTP, `response.json.size <= nodeCount`, true},
		"json and ==":        {expression.HTTP, `response.json.size == nodeCount && response.json.share == 0.5`, true},
		"sum, as Kubernikus": {expression.HTTP, `nodeCount >= response.json.spec.nodePools.map(p, int(p.size)).sum()`, true},
		"sum of unknown":     {expression.HTTP, `nodeCount >= response.json.spec.nodePools.map(p, p.size).sum()`, true},
		"value is":           {expression.Prometheus, `value == 1`, true},
		"value is, as float": {expression.Prometheus, `value == 1.0`, true},
		"value is below":     {expression.Prometheus, `value < 1`, false},
		"value is between":   {expression.Prometheus, `value > 0.5 && value <= 2`, true},
		"value is in":        {expression.Prometheus, `value in [0, 1, 2]`, true},
		"value computed":     {expression.Prometheus, `value * 2.0 < 3`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tc.environment.Validate(tc.source); err != nil {
				t.Fatalf("Validate(%q): %v", tc.source, err)
			}
			if got, err := mustCompile(t, tc.environment, tc.source).Evaluate(t.Context(), in); err != nil || got != tc.want {
				t.Errorf("Evaluate(%q) = %v, %v, want %v", tc.source, got, err, tc.want)
			}
		})
	}
}

func TestNameExpressions(t *testing.T) {
	t.Parallel()
	in := expression.Input{Node: node(t)}
	for source, tc := range map[string]struct{ want, wantErr string }{
		`node.metadata.name`:               {want: "worker-1"},
		`"hv-" + node.metadata.labels.os`:  {want: "hv-flatcar"},
		`node.metadata.name.split("-")[1]`: {want: "1"},
		`node.metadata.labels.none`:        {wantErr: "no such key: none"},
		`""`:                               {wantErr: "the value is an empty string, which is no name"},
		`node.metadata.generation`:         {wantErr: "the value must be a string, but is of the type int"},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			got, err := mustCompile(t, expression.Name, source).Evaluate(t.Context(), in)
			if got != tc.want || message(err) != tc.wantErr {
				t.Errorf("Evaluate() = %q, %v, want %q, %s", got, err, tc.want, tc.wantErr)
			}
		})
	}
}

// A patch may mix types, as JSON does.
func TestPatches(t *testing.T) {
	t.Parallel()
	in := expression.Input{Node: node(t), Object: database}
	for source, want := range map[string]any{
		`{"spec": {"maintenance": "manual"}}`: map[string]any{"spec": map[string]any{"maintenance": "manual"}},
		`{"spec": {"a": "x", "b": 1, "c": null, "d": true, "e": [1, "x", {}], "f": 0.5}}`: map[string]any{
			"spec": map[string]any{
				"a": "x", "b": int64(1), "c": nil, "d": true, "e": []any{int64(1), "x", map[string]any{}}, "f": 0.5,
			},
		},
		`{"spec": {"node": node.metadata.name, "replicas": object.spec.replicas + 1}}`: map[string]any{
			"spec": map[string]any{"node": "worker-1", "replicas": int64(4)},
		},
		`{"metadata": {"labels": object.metadata.labels}}`: map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
		},
		`object.spec.replicas > 1 ? {"spec": {"replicas": 1}} : {}`: map[string]any{
			"spec": map[string]any{"replicas": int64(1)},
		},
		`{"list": object.status.conditions.map(c, {"type": c.type, "known": true})}`: map[string]any{
			"list": []any{map[string]any{"type": "Ready", "known": true}},
		},
		`{}`: map[string]any{},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			if err := expression.Patch.Validate(source); err != nil {
				t.Fatalf("Validate(): %v", err)
			}
			got, err := mustCompile(t, expression.Patch, source).Evaluate(t.Context(), in)
			if err != nil || !reflect.DeepEqual(any(got), want) {
				t.Errorf("Evaluate() = %#v, %v, want %#v", got, err, want)
			}
		})
	}
}

func TestEvaluateSaysWhyThereIsNoValue(t *testing.T) {
	t.Parallel()
	in := expression.Input{Node: node(t), Object: database, Response: expression.Response{Status: 500, Body: "<secret>"}}
	for name, tc := range map[string]struct {
		environment *expression.Environment[bool]
		source      string
		want        string
	}{
		"no field":     {expression.Node, `node.spec.unschedulable`, "no such key: unschedulable"},
		"no bool":      {expression.Node, `node.metadata.name`, "the value must be true or false, but is of the type string"},
		"no JSON":      {expression.HTTP, `response.json.size > 1`, "response.json: the body is no JSON"},
		"no overload":  {expression.Object, `object.spec.replicas > "3"`, "no such overload"},
		"out of range": {expression.Node, `node.spec.taints[3].key == "k"`, "index out of bounds: 3"},
		"too costly": {
			expression.Node, strings.Repeat("[1,2,3,4,5,6,7,8,9,10].all(x, ", 6) + "x > 0" + strings.Repeat(")", 6),
			"the expression takes too many steps: its loops turn too often, or it compares too many values",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mustCompile(t, tc.environment, tc.source).Evaluate(t.Context(), in)
			if message(err) != tc.want {
				t.Errorf("Evaluate(%q): %v, want %s", tc.source, err, tc.want)
			}
		})
	}
}

func TestJSONHasABound(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"":`, 9000) + "0" + strings.Repeat("}", 9000) + ","
	pool := `{"name": "pool", "zone": "eu-1a", "flavor": "m1.large", "size": 3, "image": "flatcar", "labels": {"os": "flatcar"}, "taints": []},`
	for body, want := range map[string]string{nested: "response.json: the body has too many values", pool: ""} {
		in := expression.Input{Response: expression.Response{Body: "[" + strings.Repeat(body, 1<<20/len(body)) + "0]"}}
		_, err := mustCompile(t, expression.HTTP, `response.json.size() > 1`).Evaluate(t.Context(), in)
		if message(err) != want {
			t.Errorf("%.20s: %v, want %q", body, err, want)
		}
	}
}

func TestEvaluateEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := mustCompile(t, expression.Node, "true").Evaluate(ctx, expression.Input{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Evaluate() = %v, want %v", err, context.Canceled)
	}
}

// A value of the node stays as it is, whatever the caller does with what an expression has made.
func TestPatchIsACopy(t *testing.T) {
	t.Parallel()
	in := expression.Input{Node: node(t)}
	got, err := mustCompile(t, expression.Patch, `{"labels": node.metadata.labels}`).Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got["labels"].(map[string]any)["os"] = "changed"
	if label := in.Node["metadata"].(map[string]any)["labels"].(map[string]any)["os"]; label != "flatcar" {
		t.Errorf("the label of the node is %v, want flatcar", label)
	}
}

func mustCompile[T expression.Value](
	t *testing.T, environment *expression.Environment[T], source string,
) *expression.Program[T] {
	t.Helper()
	program, err := environment.Compile(source)
	if err != nil {
		t.Fatalf("Compile(%q): %v", source, err)
	}
	return program
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
