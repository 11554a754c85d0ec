// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api tests what users see of the API, and what it makes of bad input:
// through kubectl, through the aggregator, and on the server's own port.
package api

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// root is the repository's folder, seen from this package.
var root = filepath.Join("..", "..")

// manifest is a NodeMaintenance as a user writes it, with a spec as JSON.
func manifest(name, spec string) string {
	return manifestWith(fmt.Sprintf(`{"name":%q}`, name), spec)
}

func manifestWith(metadata, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":%s,"spec":%s}`, metadata, spec)
}

// absentNode is a node that does not exist, so that nothing happens to any.
func absentNode(p *env.Pool) string { return p.Name + "-absent" }

// createQuiet creates a hold on which nothing is done, and waits until the
// drainer has said so: from then on its resourceVersion stays.
func createQuiet(t *testing.T, p *env.Pool, suffix string) *v1beta1.NodeMaintenance {
	t.Helper()
	return settled(t, p, p.Create(t, p.Hold(suffix, absentNode(p))).Name)
}

func settled(t *testing.T, p *env.Pool, name string) *v1beta1.NodeMaintenance {
	t.Helper()
	return p.WaitForHold(t, name, "status of the newest generation", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.ObservedGeneration == nm.Generation
	})
}

func get(t *testing.T, p *env.Pool, name string) *v1beta1.NodeMaintenance {
	t.Helper()
	nm, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return nm
}

// managersOf names the managers that own a field, given as its path of keys in
// managedFields.
func managersOf(t *testing.T, nm *v1beta1.NodeMaintenance, path ...string) []string {
	t.Helper()
	var managers []string
	for _, entry := range nm.ManagedFields {
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			t.Fatal(err)
		}
		owned := true
		for _, key := range path {
			if fields, owned = fields[key].(map[string]any); !owned {
				break
			}
		}
		if owned {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}

func wantContains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: want %q in:\n%s", what, part, text)
		}
	}
}

func kubeconfigOf(t *testing.T, p *env.Pool, name string, groups ...string) string {
	t.Helper()
	path, err := p.Cluster.UserKubeconfig(name, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
