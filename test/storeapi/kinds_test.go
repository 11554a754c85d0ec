// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"context"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// written are objects of the kinds that people write besides NodeMaintenances.
const written = `
apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenancePolicy
metadata: {name: NAME}
spec:
  nodeSelector: {matchLabels: {POOL: NAME}}
  limits: {maxConcurrent: 1}
---
apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenanceProfile
metadata: {name: NAME}
spec:
  nodes: {selector: {matchLabels: {POOL: NAME}}}
  checks: [{name: needed, nodeLabel: {key: needed}}]
  states:
    operational: {transitions: [{name: required, check: needed, next: MaintenanceRequired}]}
    maintenanceRequired: {transitions: [{name: start, check: needed, next: InMaintenance}]}
    inMaintenance: {transitions: [{name: done, check: "!needed", next: Operational}]}
---
apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenanceEndpoint
metadata: {name: NAME}
spec: {http: {url: "https://example.com"}}
---
apiVersion: maintenance.medik8s.io/v1beta1
kind: ScheduledEvent
metadata: {name: NAME}
spec: {source: tickets, code: system-reboot, nodeName: NAME-absent, notBefore: "2099-03-01T06:00:00Z"}
`

// Objects of every kind are in the cluster's API, each in an envelope of its kind, from their creation to their end.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	kubectl := pool.Kubectl()
	manifest := strings.NewReplacer("NAME", pool.Name, "POOL", env.PoolLabel).Replace(written)
	kubectl.Must(t, manifest, "create", "-f", "-")
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)

	names := map[string]string{
		"maintenancepolicies": pool.Name, "maintenanceprofiles": pool.Name, "maintenanceendpoints": pool.Name, "scheduledevents": pool.Name,
		"nodemaintenances": hold.Name, "nodeprofiles": v1beta1.NodeProfileName(pool.Nodes[0], pool.Name), "maintenanceledgers": v1beta1.LedgerName,
	}
	stored := func(kind string) env.Output {
		return kubectl.Try(t, "", "get", "stored"+kind+".store.maintenance.medik8s.io", names[kind], "-o", "json")
	}
	for kind, name := range names {
		kubectl.Must(t, "", "get", kind+".maintenance.medik8s.io", name)
		env.Eventually(t, kind+" "+name+" is stored", func(context.Context) string {
			if out := stored(kind); out.Code != 0 {
				return out.Stderr
			}
			return ""
		})
	}
	for _, kind := range []string{"maintenancepolicies", "maintenanceprofiles", "maintenanceendpoints", "scheduledevents"} {
		kubectl.Must(t, "", "label", kind+".maintenance.medik8s.io", pool.Name, "written=again")
		if out := stored(kind); !strings.Contains(out.Stdout, `"written"`) {
			t.Errorf("what is stored of %s is not what was written: %s%s", kind, out.Stdout, out.Stderr)
		}
	}
	pool.Delete(t, hold.Name)
	kubectl.Must(t, manifest, "delete", "-f", "-")
	for kind, name := range names {
		env.Eventually(t, kind+" "+name+" is gone", func(context.Context) string {
			if out := stored(kind); out.Code == 0 || !strings.Contains(out.Stderr, "NotFound") {
				return out.Stdout + out.Stderr
			}
			return ""
		})
	}
}
