// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migrating

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// operator stands in for the node-maintenance operator: it has done to the cluster what that does.
type operator struct {
	kubectl *env.Kubectl
}

// installOperator installs the operator, whose controller has just renewed the lease of its leader.
func installOperator(t *testing.T, e *env.Env) *operator {
	t.Helper()
	o := &operator{kubectl: e.Kubectl()}
	o.kubectl.Must(t, "", "apply", "-f", "testdata/operator.yaml")
	o.kubectl.Must(t, "", "wait", "--for=condition=Established", "crd/nodemaintenances.nodemaintenance.medik8s.io")
	o.lead(t, time.Now())
	return o
}

// lead renews the lease of the controller that leads, at some time.
func (o *operator) lead(t *testing.T, at time.Time) {
	t.Helper()
	o.kubectl.Must(t, fmt.Sprintf(`apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: 135b1886.medik8s.io, namespace: node-maintenance-operator}
spec: {holderIdentity: manager, leaseDurationSeconds: 3600, renewTime: %q}
`, at.UTC().Format("2006-01-02T15:04:05.000000Z")), "apply", "-f", "-")
}

// takeOut takes a node out of service, and writes how far it has come into the status.
func (o *operator) takeOut(t *testing.T, name, node, status string) {
	t.Helper()
	o.kubectl.Must(t, fmt.Sprintf(`apiVersion: nodemaintenance.medik8s.io/v1beta1
kind: NodeMaintenance
metadata: {name: %s, finalizers: [foregroundDeleteNodeMaintenance]}
spec: {nodeName: %s, reason: Test node maintenance}
`, name, node), "create", "-f", "-")
	o.kubectl.Must(t, "", "patch", "nodemaintenances.nodemaintenance.medik8s.io", name,
		"--subresource=status", "--type=merge", "-p", `{"status":`+status+`}`)
	o.kubectl.Must(t, fmt.Sprintf(`apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: node-%s, namespace: medik8s-leases}
spec: {holderIdentity: node-maintenance, leaseDurationSeconds: 3600, renewTime: %q}
`, node, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")), "create", "-f", "-")
	o.kubectl.Must(t, "", "cordon", node)
	o.kubectl.Must(t, "", "taint", "node", node, "medik8s.io/drain:NoSchedule")
	o.kubectl.Must(t, "", "label", "node", node, "remediation.medik8s.io/exclude-from-remediation=true")
}

// failWebhook has the operator's webhook refuse everything, since nothing answers for it.
func (o *operator) failWebhook(t *testing.T) {
	t.Helper()
	o.kubectl.Must(t, "", "apply", "-f", "testdata/webhook.yaml")
}
