// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package noderole

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func node(name, team string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": team}}}
}

func TestRole(t *testing.T) {
	tests := map[string]struct {
		selector  string
		wantNames []string
		wantErr   string
	}{
		"a team's nodes, sorted": {selector: "team=payments", wantNames: []string{"worker-1", "worker-3"}},
		"no node yet":            {selector: "team=search"},
		"no selector":            {wantErr: "--selector must name labels"},
		"not a selector":         {selector: "team in", wantErr: "is not a label selector"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(node("worker-3", "payments"), node("worker-1", "payments"), node("worker-2", "web"))
			var out bytes.Buffer
			err := options{selector: test.selector, apply: true}.run(t.Context(), client, "payments", &out)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got error %v, want %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			role, err := client.RbacV1().ClusterRoles().Get(t.Context(), "payments", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range role.Rules {
				if strings.HasPrefix(rule.Resources[0], "nodes") && !slices.Equal(rule.ResourceNames, test.wantNames) {
					t.Errorf("the rule for %v names %v, want %v", rule.Resources, rule.ResourceNames, test.wantNames)
				}
			}
			if want := 2 + 3*min(len(test.wantNames), 1); len(role.Rules) != want {
				t.Errorf("got %d rules, want %d: %v", len(role.Rules), want, role.Rules)
			}
		})
	}
}

// Printed, it is a manifest.
func TestPrint(t *testing.T) {
	var out bytes.Buffer
	if err := (options{selector: "team=web"}).run(t.Context(), fake.NewClientset(node("worker-2", "web")), "web", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind: ClusterRole\n", "  name: web\n", "  - worker-2\n", "maintenance.medik8s.io/node-selector: team=web\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
