// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// asked is a table of checks that are asked alone.
type asked map[string]struct {
	check   v1beta1.ProfileCheck
	changes []change
	want    string
}

func (table asked) run(t *testing.T) {
	t.Helper()
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			if got := askOne(t, tc.check, tc.changes...); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func annotated(annotations map[string]string) change {
	return func(s *scene) { s.Node.Annotations = annotations }
}

func TestLabelsAndAnnotationsOfTheNode(t *testing.T) {
	key := v1beta1.KeyValueCheck{Key: "k"}
	value := v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("v")}
	empty := v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("")}
	label := func(c v1beta1.KeyValueCheck) v1beta1.ProfileCheck { return v1beta1.ProfileCheck{NodeLabel: &c} }
	annotation := func(c v1beta1.KeyValueCheck) v1beta1.ProfileCheck {
		return v1beta1.ProfileCheck{NodeAnnotation: &c}
	}
	asked{
		"no labels at all":        {label(key), nil, `False: label k is not set`},
		"any value":               {label(key), []change{labelled(map[string]string{"k": "x"})}, `True: label k is "x"`},
		"any value, also empty":   {label(key), []change{labelled(map[string]string{"k": ""})}, `True: label k is ""`},
		"the value":               {label(value), []change{labelled(map[string]string{"k": "v"})}, `True: label k is "v"`},
		"another value":           {label(value), []change{labelled(map[string]string{"k": "V"})}, `False: label k is "V", not "v"`},
		"the empty value":         {label(empty), []change{labelled(map[string]string{"k": ""})}, `True: label k is ""`},
		"not the empty value":     {label(empty), []change{labelled(map[string]string{"k": "v"})}, `False: label k is "v", not ""`},
		"no label, empty value":   {label(empty), nil, `False: label k is not set`},
		"no node":                 {label(key), []change{noNode}, `Error: node w-1 does not exist`},
		"annotation":              {annotation(value), []change{annotated(map[string]string{"k": "v"})}, `True: annotation k is "v"`},
		"no annotations at all":   {annotation(key), nil, `False: annotation k is not set`},
		"a label, no annotation":  {annotation(key), []change{labelled(map[string]string{"k": "v"})}, `False: annotation k is not set`},
		"annotation of no node":   {annotation(key), []change{noNode}, `Error: node w-1 does not exist`},
		"hidden signs are shown":  {annotation(key), []change{annotated(map[string]string{"k": "a\x1bb"})}, `True: annotation k is "a\u001bb"`},
		"a long value is cut off": {annotation(key), []change{annotated(map[string]string{"k": strings.Repeat("x", 999)})}, `True: annotation k is "` + strings.Repeat("x", 61) + `..."`},
	}.run(t)
}

func TestAnyNode(t *testing.T) {
	any := v1beta1.ProfileCheck{AnyNode: &v1beta1.KeyValueCheck{Key: "k"}}
	value := v1beta1.ProfileCheck{AnyNode: &v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("v")}}
	has := func(v string) map[string]string { return map[string]string{"k": v} }
	asked{
		"none":                    {any, []change{other("w-2", nil)}, `False: no node has label k`},
		"the node itself":         {any, []change{labelled(has("x"))}, `True: node w-1 has label k`},
		"the first by name":       {any, []change{other("w-3", has("x")), other("w-2", has("y"))}, `True: node w-2 has label k`},
		"the value":               {value, []change{other("w-2", has("x")), other("w-3", has("v"))}, `True: node w-3 has label k="v"`},
		"no node has the value":   {value, []change{other("w-2", has("x"))}, `False: no node has label k="v"`},
		"the node itself is gone": {any, []change{noNode, other("w-2", has("x"))}, `True: node w-2 has label k`},
	}.run(t)
}

func TestNodeCondition(t *testing.T) {
	ready := v1beta1.ProfileCheck{NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: "True"}}
	condition := func(kind, status string) change {
		return func(s *scene) {
			s.Node.Status.Conditions = append(s.Node.Status.Conditions, corev1.NodeCondition{
				Type: corev1.NodeConditionType(kind), Status: corev1.ConditionStatus(status),
			})
		}
	}
	asked{
		"is so":                      {ready, []change{condition("Other", "False"), condition("Ready", "True")}, `True: condition Ready is True`},
		"is not so":                  {ready, []change{condition("Ready", "Unknown")}, `False: condition Ready is Unknown, not True`},
		"a missing type is no error": {ready, nil, `False: the node has no condition Ready`},
		"a missing node is":          {ready, []change{noNode}, `Error: node w-1 does not exist`},
	}.run(t)
}

func TestNodeExpression(t *testing.T) {
	node := func(text string) v1beta1.ProfileCheck {
		return v1beta1.ProfileCheck{Node: &v1beta1.NodeExpressionCheck{Expression: text}}
	}
	kernel := func(s *scene) { s.Node.Status.NodeInfo.KernelVersion = "6.1.2" }
	asked{
		"passes":        {node("node.status.nodeInfo.kernelVersion.startsWith('6.')"), []change{kernel}, `True: the expression is true`},
		"does not pass": {node("node.metadata.name == 'w-2'"), nil, `False: the expression is false`},
		"no node":       {node("true"), []change{noNode}, `Error: node w-1 does not exist`},
		"a field that does not exist is an error of this check alone": {
			node("node.metadata.labels.nope == 'x'"), nil, `Error: the expression has no value: no such key: labels`,
		},
		"what a newer version has stored": {
			node("node.nope("), nil, `Error: the check cannot be applied: line 1, column 11: the expression ends too early`,
		},
	}.run(t)
}

func TestNodeCount(t *testing.T) {
	three := v1beta1.ProfileCheck{NodeCount: &v1beta1.NodeCountCheck{Min: 3}}
	asked{
		"too few": {three, []change{other("w-2", nil)}, `False: the cluster has 2 nodes, and must have at least 3`},
		"one":     {three, nil, `False: the cluster has 1 node, and must have at least 3`},
		"enough":  {three, []change{other("w-2", nil), other("w-3", nil)}, `True: the cluster has 3 nodes, and must have at least 3`},
	}.run(t)
}
