// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The server's own audit log, with the policy that ships, says who started and ended maintenance
// of which node, and why, whichever way they did; what expired, the server ended itself. It says
// nothing else.
func TestAuditLog(t *testing.T) {
	dir := t.TempDir()
	log, policy := filepath.Join(dir, "audit.log"), filepath.Join(dir, "policy.yaml")
	write(t, policy, shippedAuditPolicy(t))
	replaceServer(t, localcluster.ServerOptions{ExtraArgs: []string{"--audit-log-path=" + log, "--audit-policy-file=" + policy}})
	pool := env.Current(t).NewPool(t, 2)
	kubectl, raw := pool.Kubectl(), "/apis/maintenance.medik8s.io/v1beta1/nodes/"+pool.Nodes[0]+"/maintenance"
	kubectl.Must(t, `{"spec":{"stage":"Cordon","reason":"new disk"}}`, "create", "--raw", raw, "-f", "-")
	kubectl.Must(t, "", "delete", "--raw", raw)
	for i, node := range pool.Nodes {
		hold := pool.Hold(string(rune('a'+i)), node)
		hold.Spec.Stage, hold.Spec.Reason = "Idle", "new kernel"
		pool.Create(t, hold)
	}
	kubectl.Must(t, "", "get", "nm")
	kubectl.Must(t, "", "delete", "nm", pool.Name+"-a")
	kubectl.Must(t, "", "delete", "--raw", "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances?fieldSelector=spec.nodeName%3D"+pool.Nodes[1])
	forgotten := pool.Hold("c", pool.Nodes[0])
	forgotten.Spec.Stage, forgotten.Spec.Reason, forgotten.Spec.ExpirationSeconds = "Idle", "forgotten", new(int64(1))
	pool.Create(t, forgotten)
	kubectl.Must(t, "", "wait", "--for=delete", "nm/"+pool.Name+"-c", "--timeout="+env.Timeout.String())

	var got []string
	for _, event := range auditEvents(t, log) {
		what := strings.Join([]string{
			event.User.Username, event.Verb, event.ObjectRef.Resource, event.Annotations["maintenance.medik8s.io/node"],
			event.Annotations["maintenance.medik8s.io/requestor"], event.Annotations["maintenance.medik8s.io/reason"],
		}, " ")
		got = append(got, strings.ReplaceAll(what, pool.Name, "node"))
	}
	want := []string{
		"admin create nodes node-1 admin new disk", "admin delete nodes node-1 admin new disk",
		"admin create nodemaintenances node-1 admin new kernel", "admin create nodemaintenances node-2 admin new kernel",
		"admin delete nodemaintenances node-1 admin new kernel", "admin deletecollection nodemaintenances node-2 admin new kernel",
		"admin create nodemaintenances node-1 admin forgotten", "system:apiserver delete nodemaintenances node-1 admin forgotten",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// shippedAuditPolicy is the chart's.
func shippedAuditPolicy(t *testing.T) string {
	t.Helper()
	return string(readFile(t, filepath.Join("..", "..", "chart", "files", "audit-policy.yaml")))
}

func auditEvents(t *testing.T, path string) []auditv1.Event {
	t.Helper()
	var events []auditv1.Event
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, path)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("could not parse audit event: %v", err)
		}
		events = append(events, event)
	}
	return events
}
