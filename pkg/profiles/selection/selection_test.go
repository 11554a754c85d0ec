// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const label = v1beta1.DefaultProfileLabel

func node(labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1", Labels: labels}}
}

// A profile selects what at least one of its fields selects.
func TestSelects(t *testing.T) {
	pool := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"pool": value}}
	}
	web := map[string]string{"pool": "web"}
	for name, test := range map[string]struct {
		nodes  v1beta1.ProfileNodes
		alias  string
		labels map[string]string
		want   bool
	}{
		"nothing":                        {labels: web},
		"the selector":                   {nodes: v1beta1.ProfileNodes{Selector: pool("web")}, labels: web, want: true},
		"another selector":               {nodes: v1beta1.ProfileNodes{Selector: pool("db")}, labels: web},
		"a selector of all":              {nodes: v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{}}, labels: web, want: true},
		"the name":                       {nodes: v1beta1.ProfileNodes{Names: []string{"w-0", "w-1"}}, want: true},
		"another name":                   {nodes: v1beta1.ProfileNodes{Names: []string{"w"}}},
		"either":                         {nodes: v1beta1.ProfileNodes{Names: []string{"w-1"}, Selector: pool("db")}, labels: web, want: true},
		"the label":                      {nodes: v1beta1.ProfileNodes{ByLabel: true}, labels: map[string]string{label: "esx--flatcar"}, want: true},
		"the label, by alias":            {nodes: v1beta1.ProfileNodes{ByLabel: true}, alias: "os", labels: map[string]string{label: "os"}, want: true},
		"the label has not the alias":    {nodes: v1beta1.ProfileNodes{ByLabel: true}, alias: "os", labels: map[string]string{label: "flatcar"}},
		"a part of the label":            {nodes: v1beta1.ProfileNodes{ByLabel: true}, labels: map[string]string{label: "flatcar-beta--xflatcar"}},
		"the label does not matter":      {labels: map[string]string{label: "flatcar"}},
		"unlabelled":                     {nodes: v1beta1.ProfileNodes{Unlabelled: true}, labels: web, want: true},
		"unlabelled, the label is empty": {nodes: v1beta1.ProfileNodes{Unlabelled: true}, labels: map[string]string{label: ""}, want: true},
		"labelled":                       {nodes: v1beta1.ProfileNodes{Unlabelled: true}, labels: map[string]string{label: "esx"}},
	} {
		t.Run(name, func(t *testing.T) {
			profile := &v1beta1.MaintenanceProfile{
				ObjectMeta: metav1.ObjectMeta{Name: "flatcar"}, Spec: v1beta1.MaintenanceProfileSpec{Alias: test.alias, Nodes: test.nodes},
			}
			selector, err := New(profile, label)
			if err != nil {
				t.Fatal(err)
			}
			if got := selector.Selects(node(test.labels)); got != test.want {
				t.Errorf("selected %t, want %t", got, test.want)
			}
		})
	}
}

func TestSelectorThatIsNotValid(t *testing.T) {
	profile := &v1beta1.MaintenanceProfile{Spec: v1beta1.MaintenanceProfileSpec{Nodes: v1beta1.ProfileNodes{
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "pool", Operator: "Like"}}},
	}}}
	const want = `spec.nodes.selector: "Like" is not a valid label selector operator`
	if _, err := New(profile, label); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The place of a profile in the label of a node; one that is not there comes last.
func TestPlace(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   int
	}{
		"no label":  {nil, 0},
		"the first": {map[string]string{label: "flatcar--esx"}, 0},
		"the last":  {map[string]string{label: "esx--gpu--flatcar"}, 2},
		"not there": {map[string]string{label: "esx--gpu"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Place(node(test.labels), label, "flatcar"); got != test.want {
				t.Errorf("place %d, want %d", got, test.want)
			}
		})
	}
	if got := Aliases(node(map[string]string{"mine": "a--b"}), "mine"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %v, want a and b of the label that was named", got)
	}
}
