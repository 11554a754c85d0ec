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

// The server's own audit log says who started and ended maintenance of which node, and why,
// whichever way they did.
func TestAuditLog(t *testing.T) {
	dir := t.TempDir()
	log, policy := filepath.Join(dir, "audit.log"), filepath.Join(dir, "policy.yaml")
	write(t, policy, `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["RequestReceived"],"rules":[{"level":"Metadata"}]}`)
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
	kubectl.Must(t, "", "delete", "nm", pool.Name+"-a")
	kubectl.Must(t, "", "delete", "--raw", "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances?fieldSelector=spec.nodeName%3D"+pool.Nodes[1])

	var got []string
	for _, event := range auditEvents(t, log) {
		if event.Annotations["maintenance.medik8s.io/node"] != "" && event.User.Username == "admin" {
			what := strings.Join([]string{
				event.Verb, event.ObjectRef.Resource, event.Annotations["maintenance.medik8s.io/node"],
				event.Annotations["maintenance.medik8s.io/requestor"], event.Annotations["maintenance.medik8s.io/reason"],
			}, " ")
			got = append(got, strings.ReplaceAll(what, pool.Name, "node"))
		}
	}
	want := []string{
		"create nodes node-1 admin new disk", "delete nodes node-1 admin new disk",
		"create nodemaintenances node-1 admin new kernel", "create nodemaintenances node-2 admin new kernel",
		"delete nodemaintenances node-1 admin new kernel", "deletecollection nodemaintenances node-2 admin new kernel",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
