// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The operator set maintenancescheduled by an update of the whole object.
func TestMachineMaintenanceDone(t *testing.T) {
	s := startServer(t)
	mm := s.announce(inOps, "a")
	mm.Spec.MaintenanceScheduled = true
	body, err := json.Marshal(mm)
	if err != nil {
		t.Fatal(err)
	}
	done := decode[managedv1alpha1.MachineMaintenance](t, s.do("alice", http.MethodPut, inOps+"/a", asJSON, string(body)).want(t, http.StatusOK))
	event := s.event("mm.ops.a")
	if event.Spec.State != v1beta1.EventCompleted || !done.Spec.MaintenanceScheduled || done.ResourceVersion != event.ResourceVersion {
		t.Errorf("got state %s and %+v", event.Spec.State, done)
	}
	s.do("alice", http.MethodPut, inOps+"/a", asJSON, string(body)).want(t, http.StatusConflict).
		wantText(t, `machinemaintenances.machinemaintenance.managed.openshift.io "a"`)
	s.do("alice", http.MethodPatch, inOps+"/a", asMergePatch, `{"spec":{"maintenancescheduled":false}}`).want(t, http.StatusUnprocessableEntity).
		wantText(t, `MachineMaintenance.machinemaintenance.managed.openshift.io "a" is invalid: spec.maintenancescheduled: Forbidden: stays true`)
	s.do("alice", http.MethodPatch, inOps+"/a", asMergePatch, `{"spec":{"machineid":"i-2"}}`).want(t, http.StatusUnprocessableEntity).
		wantText(t, "spec.machineid: Invalid value")
}

func TestMachineMaintenanceUpdateRefused(t *testing.T) {
	s := startServer(t)
	created := s.announce(inOps, "a")
	s.do("alice", http.MethodPost, eventsPath, asJSON, `{"metadata":{"name":"mm.ops.foreign"},"spec":{"code":"instance-stop","nodeName":"worker-1"}}`).want(t, http.StatusCreated)
	label := `{"metadata":{"labels":{"a":"b"}}}`
	for name, test := range map[string]struct {
		name, patch, text string
		code              int
	}{
		"missing":           {name: "none", patch: label, code: http.StatusNotFound, text: `"none" not found`},
		"no operator's":     {name: "foreign", patch: label, code: http.StatusNotFound, text: `"foreign" not found`},
		"another's UID":     {name: "a", patch: `{"metadata":{"uid":"` + string(s.event("mm.ops.a").UID) + `"}}`, code: http.StatusUnprocessableEntity, text: "metadata.uid: Invalid value"},
		"its UID":           {name: "a", patch: `{"metadata":{"uid":"` + string(created.UID) + `"}}`, code: http.StatusOK},
		"another namespace": {name: "a", patch: `{"metadata":{"namespace":"other"}}`, code: http.StatusBadRequest},
		"another name":      {name: "a", patch: `{"metadata":{"name":"b"}}`, code: http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			s.do("alice", http.MethodPatch, inOps+"/"+test.name, asMergePatch, test.patch).want(t, test.code).wantText(t, test.text)
		})
	}
	s.do("alice", http.MethodPatch, inOps+"/foreign?fieldManager=x", asApply, announced("foreign")).want(t, http.StatusNotFound)
}

// Each manager keeps its fields, under whichever name it applies.
func TestMachineMaintenanceApply(t *testing.T) {
	s := startServer(t)
	apply := func(path, manager, body string) answer {
		return s.do("alice", http.MethodPatch, path+"?fieldManager="+manager, asApply, body)
	}
	apply(inOps+"/a", "x", announced("a")).want(t, http.StatusCreated)
	apply(eventsPath+"/mm.ops.a", "y", `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"ScheduledEvent","metadata":{"name":"mm.ops.a"},"spec":{"description":"disk"}}`).
		want(t, http.StatusOK)
	apply(eventsPath+"/mm.ops.a", "z", `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"ScheduledEvent","metadata":{"name":"mm.ops.a"},"spec":{"state":"Completed"}}`).
		want(t, http.StatusConflict).wantText(t, `conflict with "x"`)
	labeled := strings.Replace(announced("a"), `"metadata":{`, `"metadata":{"labels":{"a":"b"},`, 1)
	apply(inOps+"/a", "x", labeled).want(t, http.StatusOK)
	event := s.event("mm.ops.a")
	if event.Spec.Description != "disk" || event.Labels["a"] != "b" {
		t.Errorf("got %+v with labels %v", event.Spec, event.Labels)
	}
	owners := map[string]string{}
	for _, entry := range event.ManagedFields {
		owners[entry.Manager+" "+string(entry.Operation)+" "+entry.APIVersion] = string(entry.FieldsV1.GetRawBytes())
	}
	want := map[string]string{
		"x Apply maintenance.medik8s.io/v1beta1": `{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:code":{},"f:eventID":{},"f:instanceID":{},` +
			`"f:machineRef":{"f:apiGroup":{},"f:name":{},"f:namespace":{}},"f:state":{}}}`,
		"y Apply maintenance.medik8s.io/v1beta1": `{"f:spec":{"f:description":{}}}`,
	}
	if diff := cmp.Diff(want, owners); diff != "" {
		t.Errorf("owners differ (-want +got):\n%s", diff)
	}
	apply(inOps+"/a", "x", announced("a")).want(t, http.StatusOK)
	if labels := s.event("mm.ops.a").Labels; len(labels) > 0 {
		t.Errorf("labels that are not applied any more stay: %v", labels)
	}
	apply(inOps+"/a", "w", strings.Replace(announced("a"), "false", "true", 1)).want(t, http.StatusConflict).wantText(t, ".spec.maintenancescheduled")
}

func TestMachineMaintenanceDryRun(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, inOps+"?dryRun=All", asJSON, announced("a")).want(t, http.StatusCreated)
	s.do("alice", http.MethodGet, inOps+"/a", asJSON, "").want(t, http.StatusNotFound)
	s.announce(inOps, "a")
	s.do("alice", http.MethodDelete, inOps+"/a?dryRun=All", asJSON, "").want(t, http.StatusOK)
	if mm := decode[metav1.PartialObjectMetadata](t, s.do("alice", http.MethodGet, inOps+"/a", asJSON, "").want(t, http.StatusOK)); mm.DeletionTimestamp != nil {
		t.Error("a dry run has deleted it")
	}
}

// Who may not schedule on a node may not do it under the old name.
func TestMachineMaintenanceRights(t *testing.T) {
	s := startServer(t)
	s.announce(inOps, "a")
	s.rights.take("bob schedule nodes/maintenance")
	for name, got := range map[string]answer{
		"create": s.do("bob", http.MethodPost, inOps, asJSON, announced("b")),
		"patch":  s.do("bob", http.MethodPatch, inOps+"/a", asMergePatch, `{"spec":{"maintenancescheduled":true}}`),
		"apply":  s.do("bob", http.MethodPatch, inOps+"/c?fieldManager=x", asApply, announced("c")),
		"delete": s.do("bob", http.MethodDelete, inOps+"/a", asJSON, ""),
		"all":    s.do("bob", http.MethodDelete, inOps, asJSON, ""),
	} {
		if got.code != http.StatusForbidden || !strings.Contains(string(got.body), "schedule") {
			t.Errorf("%s: got %d %s", name, got.code, got.body)
		}
	}
}
