// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The short names mean what they meant, without a warning, and ours are found by their full name.
func TestNames(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	for command, want := range map[string]string{
		"nm":                           "nodemaintenance.nodemaintenance.medik8s.io/",
		"nodemaintenance":              "nodemaintenance.nodemaintenance.medik8s.io/",
		"nodemaintenances":             "nodemaintenance.nodemaintenance.medik8s.io/",
		"nodemaintenances.kubevirt.io": "nodemaintenance.kubevirt.io/",
		"nodemaintenances.maintenance.medik8s.io": "nodemaintenance.maintenance.medik8s.io/",
	} {
		t.Run(command, func(t *testing.T) {
			wantPrinted(t, e.Kubectl().Try(t, "", "get", command, hold.Name, "-o", "name"), want+hold.Name+"\n")
		})
	}
}

// kubectl explain shows the old fields, and no others, once the cluster has read the documentation.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, g := range groups {
		want := append([]string{"nodeName", "reason", "phase", "lastError", "pendingPods", "totalpods", "evictionPods"}, g.further...)
		env.Eventually(t, "explanation of "+g.Group, func(context.Context) string {
			got := env.Current(t).Kubectl().Try(t, "", "explain", "nodemaintenances", "--api-version="+g.String(), "--recursive")
			for _, field := range want {
				if !strings.Contains(got.Stdout, "  "+field+"\t<") {
					return fmt.Sprintf("%s is missing: %s%s", field, got.Stdout, got.Stderr)
				}
			}
			if strings.Contains(got.Stdout, "drain\t") {
				return "it has fields of ours: " + got.Stdout
			}
			return ""
		})
	}
}

// KubeVirt's own kinds, in the same group with other versions, are served by their CRDs as before.
func TestKubeVirtsOwnKinds(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	kubectl.Must(t, virtualMachines, "apply", "-f", "-")
	kubectl.Must(t, "", "wait", "--for=condition=Established", "crd/virtualmachines.kubevirt.io", "--timeout="+env.Timeout.String())
	env.Eventually(t, "both kinds are there", func(context.Context) string {
		machines := kubectl.Try(t, "", "get", "virtualmachines.kubevirt.io")
		holds := kubectl.Try(t, "", "get", "nodemaintenances.kubevirt.io")
		if machines.Code != 0 || holds.Code != 0 {
			return machines.Stderr + holds.Stderr
		}
		return ""
	})
	preferred := kubectl.Must(t, "", "get", "--raw", "/apis/kubevirt.io")
	if !strings.Contains(preferred, `"preferredVersion":{"groupVersion":"kubevirt.io/v1","version":"v1"}`) {
		t.Errorf("KubeVirt's version is no longer preferred: %s", preferred)
	}
}

const virtualMachines = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: virtualmachines.kubevirt.io
spec:
  group: kubevirt.io
  names: {kind: VirtualMachine, plural: virtualmachines}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`
