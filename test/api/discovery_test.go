// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestAPIResources(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	lines := strings.Split(strings.TrimSpace(kubectl.Must(t, "",
		"api-resources", "--api-group=maintenance.medik8s.io", "--no-headers", "-o", "wide")), "\n")
	want := [][]string{
		{
			"maintenanceendpoints", "mep", "maintenance.medik8s.io/v1beta1", "false", "MaintenanceEndpoint",
			"create,delete,deletecollection,get,list,patch,update,watch", "maintenance",
		},
		{
			"maintenanceledgers", "maintenance.medik8s.io/v1beta1", "false", "MaintenanceLedger",
			"create,delete,deletecollection,get,list,patch,update,watch",
		},
		{
			"maintenancepolicies", "mpol", "maintenance.medik8s.io/v1beta1", "false", "MaintenancePolicy",
			"create,delete,deletecollection,get,list,patch,update,watch", "maintenance",
		},
		{
			"maintenanceprofiles", "mprof", "maintenance.medik8s.io/v1beta1", "false", "MaintenanceProfile",
			"create,delete,deletecollection,get,list,patch,update,watch", "maintenance",
		},
		{
			"nodemaintenances", "nm", "maintenance.medik8s.io/v1beta1", "false", "NodeMaintenance",
			"create,delete,deletecollection,get,list,patch,update,watch", "maintenance",
		},
		{
			"nodeprofiles", "nprof", "maintenance.medik8s.io/v1beta1", "false", "NodeProfile",
			"create,delete,deletecollection,get,list,patch,update,watch",
		},
		{"nodes", "maintenance.medik8s.io/v1beta1", "false", "NodeState", "get,list,watch"},
		{
			"scheduledevents", "sev", "maintenance.medik8s.io/v1beta1", "false", "ScheduledEvent",
			"create,delete,deletecollection,get,list,patch,update,watch", "maintenance",
		},
	}
	var got [][]string
	for _, line := range lines {
		got = append(got, strings.Fields(line))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resources differ (-want +got):\n%s", diff)
	}
}

func TestEveryNameOfTheResource(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	for _, name := range []string{
		"nm", "nodemaintenance", "nodemaintenances", "maintenance", "NodeMaintenance",
		"nodemaintenances.maintenance.medik8s.io", "nodemaintenances.v1beta1.maintenance.medik8s.io",
	} {
		wantContains(t, "kubectl get "+name, pool.Kubectl().Must(t, "", "get", name), "NAME", hold.Name)
	}
	for _, name := range []string{"nm/", "nodemaintenance/", "nodemaintenance.maintenance.medik8s.io/"} {
		wantContains(t, "kubectl get "+name, pool.Kubectl().Must(t, "", "get", name+hold.Name, "-o", "name"),
			"nodemaintenance.maintenance.medik8s.io/"+hold.Name)
	}
}

func TestDiscoveryDocuments(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	var list metav1.APIResourceList
	if err := json.Unmarshal([]byte(kubectl.Must(t, "", "get", "--raw", groupVersion)), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, resource := range list.APIResources {
		if resource.Namespaced {
			t.Errorf("resource %s is namespaced", resource.Name)
		}
		names = append(names, resource.Name+" "+resource.Kind)
	}
	want := []string{
		"maintenanceendpoints MaintenanceEndpoint", "maintenanceendpoints/status MaintenanceEndpoint",
		"maintenanceledgers MaintenanceLedger",
		"maintenancepolicies MaintenancePolicy", "maintenancepolicies/queue MaintenancePolicyQueue", "maintenancepolicies/status MaintenancePolicy",
		"maintenanceprofiles MaintenanceProfile", "maintenanceprofiles/status MaintenanceProfile",
		"nodemaintenances NodeMaintenance", "nodemaintenances/approval MaintenanceApproval", "nodemaintenances/status NodeMaintenance",
		"nodeprofiles NodeProfile", "nodeprofiles/decision NodeProfileDecision",
		"nodeprofiles/evaluation NodeProfileEvaluation", "nodeprofiles/status NodeProfile",
		"nodes NodeState", "nodes/drainplan DrainPlan", "nodes/maintenance NodeMaintenance",
		"scheduledevents ScheduledEvent", "scheduledevents/status ScheduledEvent",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("resources differ (-want +got):\n%s", diff)
	}

	var group metav1.APIGroup
	if err := json.Unmarshal([]byte(kubectl.Must(t, "", "get", "--raw", "/apis/maintenance.medik8s.io")), &group); err != nil {
		t.Fatal(err)
	}
	if group.PreferredVersion.Version != "v1beta1" || len(group.Versions) != 1 {
		t.Errorf("got versions %v, preferred %v, want v1beta1 alone", group.Versions, group.PreferredVersion)
	}
	// What kubectl reads: the aggregated document of all groups.
	aggregated := admin(t).with("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList").get(t, "/apis")
	wantContains(t, "aggregated discovery", string(aggregated.want(t, http.StatusOK).body), `"nodemaintenances"`, `"nm"`)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	fetchOpenAPI(t, "/openapi/v3"+groupVersion) // explain reads it, and does not wait for it
	kubectl := env.Current(t).Kubectl()
	tests := map[string][]string{
		"nm":                         {"KIND:       NodeMaintenance", "VERSION:    v1beta1", "spec\t<NodeMaintenanceSpec>", "keeps one node out of service"},
		"nm.spec.nodeName":           {"FIELD: nodeName <string>", "Required. Immutable."},
		"nm.spec":                    {"nodeName\t<string> -required-"},
		"nm.spec.stage":              {"FIELD: stage <string>", "ENUM:", "Cordon", "Drain", "Idle", "Defaults to Drain."},
		"nm.spec.requestor":          {"The server sets it"},
		"nm.spec.drain --recursive":  {"gracePeriodSeconds\t<integer>", "timeoutSeconds\t<integer>", "podSelector\t<LabelSelector>", "    matchLabels\t<map[string]string>"},
		"nm.status.conditions":       {"FIELD: conditions <[]Condition>"},
		"nm.status.blockers":         {"permanent\t<boolean>"},
		"nm.status.nodeBefore.taint": nil,
		"nm.spec.expirationSeconds":  {"FIELD: expirationSeconds <integer>", "deletes", "Must be from 1 to"},
		"nm.spec.drain.rules":        {"podAnnotations\t<map[string]string>", "An empty value stands for any value"},
		"nodes --api-version=maintenance.medik8s.io/v1beta1":        {"KIND:       NodeState"},
		"nodes.status --api-version=maintenance.medik8s.io/v1beta1": {"state\t<string> -required-", "holds\t<[]NodeHold>"},
	}
	for args, want := range tests {
		out := kubectl.Try(t, "", append([]string{"explain"}, strings.Fields(args)...)...)
		if (out.Code == 0) != (want != nil) {
			t.Errorf("kubectl explain %s: exit code %d\n%s%s", args, out.Code, out.Stdout, out.Stderr)
		}
		// Lines are wrapped at the terminal's width.
		text := out.Stdout + "\n" + strings.Join(strings.Fields(out.Stdout), " ")
		wantContains(t, "kubectl explain "+args, text, want...)
	}
}

// Every field says what it is for, so that explain always has something to show.
func TestEveryFieldIsExplained(t *testing.T) {
	t.Parallel()
	for name, definition := range definitions(t) {
		properties, ok := definition["properties"].(map[string]any)
		if !ok {
			t.Errorf("definition %s has no properties", name)
		}
		for field, schema := range properties {
			if description, _ := schema.(map[string]any)["description"].(string); description == "" {
				t.Errorf("field %s of %s has no description", field, name)
			}
		}
	}
}
