// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Each group that the server can serve is in the audit log, in the alert on APIServices, and in the commands that
// unregister a server that cannot be recovered.
func TestOperationsKnowAllGroups(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	audited, err := policy.LoadPolicyFromFile(filepath.Join(root, "chart", "files", "audit-policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, alert, _ := strings.Cut(string(metrics), "\n| `aggregator_unavailable_apiservice{name=~\"")
	names, alert, _ := strings.Cut(alert, `"`)
	alert, _, _ = strings.Cut(alert, "\n")
	alerts, err := regexp.Compile("^(?:" + names + ")$")
	if err != nil {
		t.Fatal(err)
	}
	troubleshooting, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, runbook, _ := strings.Cut(string(troubleshooting), "\n## The server cannot be recovered\n")
	runbook, _, _ = strings.Cut(runbook, "\n## ")

	for _, version := range append([]schema.GroupVersion{v1beta1.SchemeGroupVersion}, install.AllGroupVersions()...) {
		name := version.Version + "." + version.Group
		if !alerts.MatchString(name) && !strings.Contains(alert, "`"+name+"`") {
			t.Errorf("docs/metrics.md has no alert on the APIService %s", name)
		}
		if !regexp.MustCompile(`(?m)^kubectl delete apiservice .*\b` + regexp.QuoteMeta(name) + `( |$)`).MatchString(runbook) {
			t.Errorf("docs/troubleshooting.md does not say how to delete the APIService %s", name)
		}
		resource := "nodemaintenances"
		if version.Group == managedv1alpha1.GroupName {
			resource = "machinemaintenances"
		}
		for _, verb := range []string{"create", "update", "patch", "delete", "deletecollection"} {
			asked := authorizer.AttributesRecord{
				User: &user.DefaultInfo{Name: "ann"}, Verb: verb, APIGroup: version.Group, APIVersion: version.Version, Resource: resource, ResourceRequest: true,
			}
			if got := policy.NewPolicyRuleEvaluator(audited).EvaluatePolicyRule(asked); got.Level != auditinternal.LevelMetadata {
				t.Errorf("the audit policy has the level %s for %s of %s.%s, want Metadata", got.Level, verb, resource, version.Group)
			}
		}
	}
}
