// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// The policy that ships logs each write of users, under every name of a NodeMaintenance, and no read.
func TestShippedAuditPolicyLogsWrites(t *testing.T) {
	shipped, err := os.ReadFile(filepath.Join("..", "..", "chart", "files", "audit-policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.LoadPolicyFromBytes(shipped)
	if err != nil {
		t.Fatal(err)
	}
	evaluator := policy.NewPolicyRuleEvaluator(rules)
	for _, group := range []string{"maintenance.medik8s.io", "nodemaintenance.medik8s.io", "nodemaintenance.kubevirt.io", "kubevirt.io"} {
		for _, subresource := range []string{"", "status"} {
			for verb, want := range map[string]audit.Level{"create": audit.LevelMetadata, "update": audit.LevelMetadata, "get": audit.LevelNone} {
				request := authorizer.AttributesRecord{
					User: &user.DefaultInfo{Name: "ada"}, Verb: verb, APIGroup: group, Resource: "nodemaintenances", Subresource: subresource, ResourceRequest: true,
				}
				if got := evaluator.EvaluatePolicyRule(request).Level; got != want {
					t.Errorf("%s nodemaintenances/%s of %s: got level %s, want %s", verb, subresource, group, got, want)
				}
			}
		}
	}
}

// Our server starts with the audit policy of the chart.
func TestServerRunsWithTheAuditPolicy(t *testing.T) {
	c := newTestCluster(t)
	server := &Server{cluster: c}
	_, args := server.Command()
	for _, want := range []string{"--audit-policy-file=" + c.serverAuditPolicy(), "--audit-log-path=" + server.AuditLogPath()} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in the arguments %q", want, args)
		}
	}
}
