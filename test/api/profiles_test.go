// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	nodeProfilesURL   = "/apis/maintenance.medik8s.io/v1beta1/nodeprofiles"
	profileEditorRole = "maintenance.medik8s.io:profile-editor"
	deciderRole       = "maintenance.medik8s.io:profile-decider"
)

// profileYAML is a profile that is paused, for nodes that do not exist.
const profileYAML = `apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenanceProfile
metadata: {name: %s}
spec:
  mode: Paused
  nodes: {names: [%[1]s-absent]}
  checks:
  - {name: needed, nodeLabel: {key: example.com/reboot, value: "true"}}
  - {name: max, maxInMaintenance: {max: 1, groupBy: [topology.kubernetes.io/zone]}}
  - {name: night, timeWindow: {start: "22:00", end: "04:00", timeZone: Europe/Berlin}}
  states:
    operational:
      transitions: [{name: required, check: needed, next: MaintenanceRequired}]
    maintenanceRequired:
      transitions: [{name: start, check: max && night, next: InMaintenance}]
    inMaintenance:
      hold: {stage: Drain}
      transitions: [{name: done, check: "!needed", next: Operational}]
`

func TestExplainProfiles(t *testing.T) {
	t.Parallel()
	fetchOpenAPI(t, "/openapi/v3"+groupVersion) // explain reads it, and does not wait for it
	kubectl := env.Current(t).Kubectl()
	for what, want := range map[string][]string{
		"mprof.spec.checks.stagger": {"pool\t<string> -required-", "Each start takes a place of a pool."},
		"mep.spec.smtp":             {"address\t<string> -required-", "A mail server", "sends nothing if the server does not offer encryption"},
		"nprof.status":              {"waitingFor\t<string>", "so that time alone changes nothing here"},
	} {
		text := kubectl.Must(t, "", "explain", what)
		wantContains(t, "kubectl explain "+what, strings.ToLower(text+"\n"+strings.Join(strings.Fields(text), " ")), lower(want)...)
	}
}

func lower(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, strings.ToLower(text))
	}
	return all
}

// A mistake in a profile names the field, and what would be right.
func TestBadProfiles(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	for change, want := range map[string]string{
		"check: max && night→check: max && nigth":               `spec.states.maintenanceRequired.transitions[0].check: Invalid value: "max && nigth"`,
		"name: night→name: at-night":                            `must have only letters, digits and "_", and not begin with a digit, such as at_night`,
		"next: MaintenanceRequired→next: Required":              `spec.states.operational.transitions[0].next: Unsupported value: "Required"`,
		"maxInMaintenance: {max: 1,→maxInMaintenance: {max: 0,": "spec.checks[1].maxInMaintenance.max: Invalid value: 0: must be at least 1",
		"start: \"22:00\"→start: \"10 pm\"":                     `spec.checks[2].timeWindow.start: Invalid value: "10 pm"`,
		"nodeLabel: {key→nodeLable: {key":                       `unknown field "spec.checks[0].nodeLable"`,
		"nodeLabel: {→webhook: {endpoint: x}, nodeLabel: {":     `unknown field "spec.checks[0].webhook"`,
	} {
		from, to, _ := strings.Cut(change, "→")
		yaml := fmt.Sprintf(profileYAML, pool.Name)
		if !strings.Contains(yaml, from) {
			t.Fatalf("the profile does not have %s", from)
		}
		out := pool.Kubectl().Try(t, strings.Replace(yaml, from, to, 1), "create", "-f", "-", "--dry-run=server")
		if out.Code == 0 {
			t.Errorf("with %s the profile was accepted", to)
		}
		wantContains(t, "with "+to, out.Stderr, want)
	}
}

// Who may write profiles has the server do no more than they may do themselves.
func TestAuthorOfProfile(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	yaml, author := fmt.Sprintf(profileYAML, pool.Name), pool.Name+"-author"
	grant(t, pool.Env, profileEditorRole, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: author}, authorizationv1.SubjectAccessReviewSpec{
		User: author, ResourceAttributes: &authorizationv1.ResourceAttributes{Group: v1beta1.GroupName, Resource: "maintenanceprofiles", Verb: "create"},
	})
	out := pool.KubectlAs(t, author).Try(t, yaml, "create", "-f", "-", "--dry-run=server")
	wantContains(t, "create", out.Stderr, `cannot create resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "`+pool.Name+`-absent", which the profile asks for`)
	grantUser(t, pool.Env, editorRole, author, "create")
	wantContains(t, "create", pool.KubectlAs(t, author).Must(t, yaml, "create", "-f", "-", "--dry-run=server"), "created (server dry run)")
}

// approvedYAML is a profile for one node, which always waits for an approval.
const approvedYAML = `apiVersion: maintenance.medik8s.io/v1beta1
kind: MaintenanceProfile
metadata: {name: %s}
spec:
  nodes: {names: [%s]}
  onDetach: Release
  checks:
  - {name: many, nodeCount: {min: 1}}
  - {name: approved, approval: {approvers: 2}}
  states:
    operational:
      transitions: [{name: required, check: many, next: MaintenanceRequired}]
    maintenanceRequired:
      transitions: [{name: start, check: approved, next: InMaintenance}]
    inMaintenance:
      transitions: [{name: done, check: "!many", next: Operational}]
`

// Two people decide on a profile on a node.
func TestDecisionOnNodeProfile(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, name, kubectl := pool.Nodes[0], pool.Nodes[0]+"."+pool.Name, pool.Kubectl()
	wantContains(t, "create", kubectl.Try(t, fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeProfile","metadata":{"name":%q},`+
		`"spec":{"nodeName":%q,"profile":%q}}`, name, node, pool.Name), "create", "-f", "-").Stderr, "only maintenance-apiserver itself writes NodeProfiles")
	kubectl.Must(t, fmt.Sprintf(approvedYAML, pool.Name, node), "create", "-f", "-")
	t.Cleanup(func() {
		profiles := pool.Maintenance.MaintenanceV1beta1().MaintenanceProfiles()
		if err := profiles.Delete(context.WithoutCancel(t.Context()), pool.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not delete the profile: %v", err)
		}
	})
	kubectl.Must(t, "", "wait", "--for=create", "nprof/"+name, "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "wait", "--for=jsonpath={.status.transitions[0].name}=start", "nprof/"+name, "--timeout="+env.Timeout.String())
	wantContains(t, "get", kubectl.Must(t, "", "get", "nprof", "--field-selector", "spec.nodeName="+node+",spec.profile="+pool.Name+",status.state=MaintenanceRequired"),
		"NODE", "PROFILE", "STATE", "SINCE", "WAITING FOR", name, "0 of 2 approvals")

	users := []string{pool.Name + "-a", pool.Name + "-b"}
	decide := func(by, decision string) env.Output {
		return kubectl.Try(t, decision, "create", "--raw", nodeProfilesURL+"/"+name+"/decision", "-f", "-", "--as", by)
	}
	for _, user := range users {
		grant(t, pool.Env, deciderRole, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}, authorizationv1.SubjectAccessReviewSpec{
			User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Group: v1beta1.GroupName, Resource: "nodes", Subresource: "profiles", Name: node, Verb: "veto"},
		})
	}
	wantContains(t, "push", decide(users[0], `{"decision":"Push","transition":"start","sequence":2,"reason":"r"}`).Stderr, `cannot force resource "nodes/profiles"`)
	wantContains(t, "an old one", decide(users[0], `{"decision":"Approve","sequence":1}`).Stderr, "(Conflict)", "the NodeProfile is at sequence 2")
	for user, decision := range map[string]string{users[0]: `{"decision":"Approve","sequence":2}`, users[1]: `{"decision":"Veto","sequence":2,"reason":"the sale"}`} {
		if out := decide(user, decision); out.Code != 0 {
			t.Fatalf("%s could not decide: %s", user, out.Stderr)
		}
	}
	kubectl.Must(t, "", "delete", "--raw", nodeProfilesURL+"/"+name+"/decision", "--as", users[0])
	var stored v1beta1.NodeProfile
	if err := json.Unmarshal([]byte(kubectl.Must(t, "", "get", "nprof", name, "-o", "json")), &stored); err != nil {
		t.Fatal(err)
	}
	if left := stored.Status.Decisions; len(left) != 1 || left[0].By != users[1] || left[0].Decision != v1beta1.ProfileVeto || left[0].Reason != "the sale" {
		t.Errorf("the decisions are %+v, want the veto of %s", left, users[1])
	}
}
