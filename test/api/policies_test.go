// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const policyEditorRole = "maintenance.medik8s.io:policy-editor"

// policyYAML is a policy with a setting of each kind, for nodes that do not exist.
const policyYAML = `apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenancePolicy
metadata: {name: %s}
spec:
  nodeSelector: {matchLabels: {pool: %[1]s}}
  limits:
    maxConcurrent: 10%%
    maxUnavailable: 3
    topology:
    - {key: topology.kubernetes.io/zone, maxConcurrent: 2, maxDomains: 1}
  pace: {maxStarts: 5, perSeconds: 3600, soakSeconds: 600}
  autoStop: {failures: 2, drainSeconds: 7200}
  schedule:
    timeZone: Europe/Berlin
    windows:
    - {name: night, weekly: {days: [Mon, Tue], start: "22:00", end: "04:00"}}
    - {name: friday, cron: "0 20 * * 5", durationSeconds: 28800}
    lastStartSeconds: 1800
    freezes:
    - {name: xmas, yearly: {from: "12-20", until: "01-02"}}
  approvals: {count: 1}
  gates:
    start: [{planUnblocked: true}]
    release: [{nodeCondition: {type: Ready, forSeconds: 120}}, {daemonSetPodsReady: true}]
`

// newPolicy applies the policy, and deletes it when the test ends.
func newPolicy(t *testing.T, pool *env.Pool) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		if err := pool.Maintenance.MaintenanceV1beta1().MaintenancePolicies().Delete(ctx, pool.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not delete the policy: %v", err)
		}
	})
	wantContains(t, "apply", pool.Kubectl().Must(t, fmt.Sprintf(policyYAML, pool.Name), "apply", "-f", "-"), "maintenancepolicy.maintenance.medik8s.io/"+pool.Name+" created")
}

// What an admin does with a policy, through kubectl.
func TestPolicyInKubectl(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, name := pool.Kubectl(), pool.Name
	newPolicy(t, pool)
	yaml := fmt.Sprintf(policyYAML, name)
	wantContains(t, "apply again", kubectl.Must(t, yaml, "apply", "-f", "-"), "unchanged")
	wantContains(t, "apply a change", kubectl.Must(t, strings.Replace(yaml, "count: 1", "count: 2", 1), "apply", "-f", "-"), "configured")
	wantContains(t, "server-side apply", kubectl.Must(t, yaml, "apply", "--server-side", "--force-conflicts", "-f", "-"), "serverside-applied")
	wantContains(t, "get", kubectl.Must(t, "", "get", "mpol", name), "NAME", "NODES", "IN MAINTENANCE", "UNAVAILABLE", "WAITING", "OPEN", "AGE")
	wantContains(t, "get -o wide", kubectl.Must(t, "", "get", "mpol", name, "-o", "wide"),
		"10%", "topology.kubernetes.io/zone: 2 each, 1 at once", "5 per 60m, soak 10m", "pool="+name)
	wantContains(t, "the category", kubectl.Must(t, "", "get", "maintenance"), "maintenancepolicy.maintenance.medik8s.io/"+name)
	wantContains(t, "defaults", kubectl.Must(t, "", "get", "mpol", name, "-o", "jsonpath={.spec}"),
		`"agingSeconds":3600`, `"markWaiting":true`, `"releaseTimeoutSeconds":1800`, `"validSeconds":86400`, `"windowSeconds":86400`)
	wantContains(t, "patch", kubectl.Must(t, "", "patch", "mpol", name, "--type=merge", "-p", `{"spec":{"paused":true}}`), "patched")
	wantContains(t, "paused", kubectl.Must(t, "", "get", "mpol", name), "Paused")
}

func TestExplainPolicies(t *testing.T) {
	t.Parallel()
	fetchOpenAPI(t, "/openapi/v3"+groupVersion) // explain reads it, and does not wait for it
	kubectl := env.Current(t).Kubectl()
	for what, want := range map[string][]string{
		"mpol":                              {"KIND:       MaintenancePolicy", "If several policies select a node, all of them must agree."},
		"mpol.spec":                         {"nodeSelector\t<LabelSelector> -required-", "limits\t<PolicyLimits>", "schedule\t<PolicySchedule>"},
		"mpol.spec.limits.maxConcurrent":    {"FIELD: maxConcurrent <IntOrString>"},
		"mpol.spec.schedule.windows.weekly": {"days\t<[]string>", "as HH:MM, such as 22:00"},
		"maintenanceledgers":                {"Only the server writes it."},
	} {
		text := kubectl.Must(t, "", "explain", what)
		wantContains(t, "kubectl explain "+what, text+"\n"+strings.Join(strings.Fields(text), " "), want...)
	}
}

// A mistake in a policy names the field, and what would be right.
func TestBadPolicies(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	for change, want := range map[string]string{
		`nodeSelector: {matchLabels: {pool: ` + pool.Name + `}}→paused: true`: "nodeSelector", // kubectl itself may refuse it, or the server
		"maxConcurrent: 10%→maxConcurrent: some":                              `spec.limits.maxConcurrent: Invalid value: "some": must be a number of nodes`,
		"0 20 * * 5→@daily":   `spec.schedule.windows[1].cron: Invalid value: "@daily"`,
		"Europe/Berlin→Local": `spec.schedule.timeZone: Invalid value: "Local"`,
		"[{planUnblocked: true}]→[{daemonSetPodsReady: true}]": "spec.gates.start[0].daemonSetPodsReady: Forbidden: is not checked here",
		"failures: 2→failure: 2":                               `unknown field "spec.autoStop.failure"`,
	} {
		from, to, _ := strings.Cut(change, "→")
		yaml := fmt.Sprintf(policyYAML, pool.Name)
		if !strings.Contains(yaml, from) {
			t.Fatalf("the policy does not have %s", from)
		}
		out := pool.Kubectl().Try(t, strings.Replace(yaml, from, to, 1), "apply", "-f", "-")
		if out.Code == 0 {
			t.Errorf("with %s the policy was accepted", to)
		}
		wantContains(t, "with "+to, out.Stderr, want)
	}
}

// Who may drain nodes does not say when that may be.
func TestPolicyRoles(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	newPolicy(t, pool)
	// Only one of them changes the policy, and last: to apply what is there already is no write.
	changed := strings.Replace(fmt.Sprintf(policyYAML, pool.Name), "count: 1", "count: 3", 1)
	for _, role := range []string{viewerRole, editorRole, policyEditorRole} {
		t.Run(role, func(t *testing.T) {
			writes := role == policyEditorRole
			user := pool.Name + "-" + strings.TrimPrefix(role, "maintenance.medik8s.io:")
			grant(t, pool.Env, role, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}, authorizationv1.SubjectAccessReviewSpec{
				User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Group: "maintenance.medik8s.io", Resource: "maintenancepolicies", Verb: "list"},
			})
			kubectl := pool.KubectlAs(t, user)
			kubectl.Must(t, "", "get", "mpol,maintenanceledgers")
			out := kubectl.Try(t, changed, "apply", "-f", "-")
			if writes != (out.Code == 0) {
				t.Errorf("may write: %v, want %v: %s%s", out.Code == 0, writes, out.Stdout, out.Stderr)
			}
			if status := kubectl.Try(t, "", "patch", "mpol", pool.Name, "--subresource=status", "--type=merge", "-p", `{"status":{"selected":9}}`); status.Code == 0 {
				t.Error("may write the status")
			}
		})
	}
}

// Not even a cluster admin changes the server's record.
func TestLedgerInKubectl(t *testing.T) {
	t.Parallel()
	const ledgers = "/apis/maintenance.medik8s.io/v1beta1/maintenanceledgers"
	refused := admin(t).do(t, http.MethodPost, ledgers, asJSON,
		`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceLedger","metadata":{"name":"cluster"},"spec":{"epoch":1}}`).want(t, http.StatusForbidden)
	wantContains(t, "create", string(refused.body), "only maintenance-apiserver itself writes MaintenanceLedgers")
}

// Who may maintain nodes waits like everybody else, unless a role of its own permits more.
func TestBypassRole(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	node, user := absentNode(pool), pool.Name
	grantUser(t, pool.Env, editorRole, user, "create")
	kubectl := pool.KubectlAs(t, user)
	bypass := manifest(pool.Name+"-a", fmt.Sprintf(`{"nodeName":%q,"bypassPolicies":true,"reason":"the disk fails"}`, node))
	wantContains(t, "bypass", kubectl.Try(t, bypass, "apply", "-f", "-").Stderr,
		`cannot bypass resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "`+node+`", which spec.bypassPolicies asks for`)
	urgent := manifest(pool.Name+"-a", fmt.Sprintf(`{"nodeName":%q,"priority":1}`, node))
	wantContains(t, "priority", kubectl.Try(t, urgent, "apply", "-f", "-").Stderr,
		`cannot prioritize resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "`+node+`", which spec.priority above 0 asks for`)
	for role, verb := range map[string]string{"bypass-policies": "bypass", "prioritize": "prioritize"} {
		grant(t, pool.Env, "maintenance.medik8s.io:"+role, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}, authorizationv1.SubjectAccessReviewSpec{
			User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Group: "maintenance.medik8s.io", Resource: "nodes", Subresource: "maintenance", Verb: verb, Name: node},
		})
	}
	env.Eventually(t, "the roles count", func(context.Context) string { // refusals are remembered for some seconds
		return kubectl.Try(t, strings.Replace(bypass, `"bypass`, `"priority":1,"bypass`, 1), "apply", "-f", "-").Stderr
	})
	wantContains(t, "unset", kubectl.Try(t, "", "patch", "nm", pool.Name+"-a", "--type=merge", "-p", `{"spec":{"bypassPolicies":false}}`).Stderr,
		"spec.bypassPolicies: Invalid value: false: cannot be unset")
	pool.Delete(t, pool.Name+"-a")
}
