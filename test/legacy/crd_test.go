// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// oldCRD is enough of a CRD for a cluster to have the kind.
const oldCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: nodemaintenances.nodemaintenance.kubevirt.io
spec:
  group: nodemaintenance.kubevirt.io
  scope: Cluster
  names: {kind: NodeMaintenance, listKind: NodeMaintenanceList, plural: nodemaintenances, singular: nodemaintenance}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// While the CRD of a group is installed, the group is not served: users are told why, and nothing else of
// the cluster suffers. It is served again soon after the CRD is gone. The test is not parallel: the others
// use the group.
func TestInstalledCRD(t *testing.T) {
	const group = "nodemaintenances.nodemaintenance.kubevirt.io"
	kubectl := env.Current(t).Kubectl()
	kubectl.Must(t, oldCRD, "create", "-f", "-")
	defer kubectl.Try(t, "", "delete", "crd", group, "--ignore-not-found")
	env.Eventually(t, "the group is refused", func(context.Context) string {
		got := kubectl.Try(t, "", "get", group)
		if strings.Contains(got.Stderr, "while the CRD "+group+" is installed") && strings.Contains(got.Stderr, "delete the CRD") {
			return ""
		}
		return got.Stdout + got.Stderr
	})
	kubectl.Must(t, "", "get", "nodemaintenances.nodemaintenance.medik8s.io")
	available := kubectl.Must(t, "", "get", "apiservice", "v1beta1.nodemaintenance.kubevirt.io", "-o", `jsonpath={.status.conditions[?(@.type=="Available")].status}`)
	if available != "True" {
		t.Errorf("the APIService's condition Available is %s: namespaces do not finish deleting", available)
	}
	kubectl.Must(t, "", "delete", "crd", group)
	env.Eventually(t, "the group is served again", func(context.Context) string {
		if got := kubectl.Try(t, "", "get", group); got.Code != 0 {
			return got.Stderr
		}
		return ""
	})
}
