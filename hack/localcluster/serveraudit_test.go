// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

const auditConfigMapForTest = `apiVersion: v1
kind: ConfigMap
metadata: {name: maintenance-apiserver-audit}
data: {policy.yaml: "kind: Policy"}
`

func TestServerAuditPolicy(t *testing.T) {
	for name, tc := range map[string]struct {
		artifacts string
		want      string
		wantError bool
	}{
		"shipped":         {artifacts: artifactsForTest + "---\n" + auditConfigMapForTest, want: "kind: Policy"},
		"no ConfigMap":    {artifacts: artifactsForTest, wantError: true},
		"another key":     {artifacts: strings.Replace(auditConfigMapForTest, "policy.yaml", "other.yaml", 1), wantError: true},
		"other ConfigMap": {artifacts: strings.Replace(auditConfigMapForTest, "-audit", "-other", 1), wantError: true},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := decodeObjects(strings.NewReader(tc.artifacts))
			if err != nil {
				t.Fatal(err)
			}
			got, err := serverAuditPolicy(objects)
			if got != tc.want || (err != nil) != tc.wantError {
				t.Errorf("got %q and error %v, want %q and an error: %v", got, err, tc.want, tc.wantError)
			}
		})
	}
}

// The policy that ships logs each write of users, under every name of a NodeMaintenance, and no read.
func TestShippedAuditPolicyLogsWrites(t *testing.T) {
	artifacts, err := os.Open("../../artifacts/audit-policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = artifacts.Close() }()
	objects, err := decodeObjects(artifacts)
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := serverAuditPolicy(objects)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.LoadPolicyFromBytes([]byte(shipped))
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

// Our server starts with the audit policy that the artifacts ship.
func TestServerRunsWithTheAuditPolicy(t *testing.T) {
	c := newTestCluster(t)
	objects, err := decodeObjects(strings.NewReader(auditConfigMapForTest))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.writeServerAuditPolicy(objects); err != nil {
		t.Fatal(err)
	}
	server := &Server{cluster: c}
	policy := c.layout.config(serverAuditPolicyFile)
	_, args := server.Command()
	for _, want := range []string{"--audit-policy-file=" + policy, "--audit-log-path=" + server.AuditLogPath()} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in the arguments %q", want, args)
		}
	}
	if got, err := os.ReadFile(policy); err != nil || string(got) != "kind: Policy" {
		t.Errorf("got policy %q (%v), want the one of the artifacts", got, err)
	}
}
