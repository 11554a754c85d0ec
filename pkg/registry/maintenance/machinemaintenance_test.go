// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	managed    = "/apis/machinemaintenance.managed.openshift.io/v1alpha1"
	inOps      = managed + "/namespaces/ops/machinemaintenances"
	everywhere = managed + "/machinemaintenances"
)

// announced is an object as the operator created it.
func announced(name string) string {
	return `{"apiVersion":"machinemaintenance.managed.openshift.io/v1alpha1","kind":"MachineMaintenance","metadata":{"name":"` + name + `"},` +
		`"spec":{"maintenancescheduled":false,"eventcode":"instance-stop","eventid":"instance-event-1","machineid":"i-1","machinelink":"` + name + `-abcde"}}`
}

func (s *testServer) announce(path, name string) managedv1alpha1.MachineMaintenance {
	s.t.Helper()
	return decode[managedv1alpha1.MachineMaintenance](s.t, s.do("alice", http.MethodPost, path, asJSON, announced(name)).want(s.t, http.StatusCreated))
}

func mmNames(list managedv1alpha1.MachineMaintenanceList) []string {
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Namespace+"/"+list.Items[i].Name)
	}
	return names
}

func (s *testServer) listed(pathAndQuery string) managedv1alpha1.MachineMaintenanceList {
	s.t.Helper()
	return decode[managedv1alpha1.MachineMaintenanceList](s.t, s.do("alice", http.MethodGet, pathAndQuery, asJSON, "").want(s.t, http.StatusOK))
}

func TestMachineMaintenanceDiscovery(t *testing.T) {
	s := startServer(t)
	list := decode[metav1.APIResourceList](t, s.do("alice", http.MethodGet, managed, asJSON, "").want(t, http.StatusOK))
	want := []metav1.APIResource{{
		Name: "machinemaintenances", SingularName: "machinemaintenance", Namespaced: true, Kind: "MachineMaintenance",
		Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	}}
	if diff := cmp.Diff(want, list.APIResources); diff != "" {
		t.Errorf("resources differ (-want +got):\n%s", diff)
	}
}

// What is created is a ScheduledEvent, and is read back as it was written, under another UID.
func TestMachineMaintenanceIsAnEvent(t *testing.T) {
	s := startServer(t)
	created := s.announce(inOps+"?fieldManager=x", "worker-1")
	event := s.event("mm.ops.worker-1")
	wantSpec := v1beta1.ScheduledEventSpec{
		Source: "openshift", EventID: "instance-event-1", Code: "instance-stop", InstanceID: "i-1", State: v1beta1.EventScheduled,
		MachineRef: &v1beta1.MachineReference{APIGroup: "machine.openshift.io", Namespace: "openshift-machine-api", Name: "worker-1-abcde"},
	}
	if diff := cmp.Diff(wantSpec, event.Spec); diff != "" {
		t.Errorf("the event differs (-want +got):\n%s", diff)
	}
	if event.Namespace != "" || event.UID == created.UID || managedv1alpha1.OtherUID(event.UID) != created.UID {
		t.Errorf("the event has namespace %q and UID %s, the MachineMaintenance %s", event.Namespace, event.UID, created.UID)
	}
	if len(event.ManagedFields) != 1 || event.ManagedFields[0].APIVersion != "maintenance.medik8s.io/v1beta1" || event.ManagedFields[0].Manager != "x" {
		t.Errorf("the event's owners are %+v", event.ManagedFields)
	}
	read := decode[managedv1alpha1.MachineMaintenance](t, s.do("alice", http.MethodGet, inOps+"/worker-1", asJSON, "").want(t, http.StatusOK))
	if diff := cmp.Diff(created, read); diff != "" {
		t.Errorf("it is read otherwise than it was created (-created +read):\n%s", diff)
	}
	if read.Namespace != "ops" || read.Name != "worker-1" || read.ResourceVersion != event.ResourceVersion ||
		read.ManagedFields[0].APIVersion != "machinemaintenance.managed.openshift.io/v1alpha1" {
		t.Errorf("got metadata %+v", read.ObjectMeta)
	}
	s.do("alice", http.MethodGet, managed+"/namespaces/other/machinemaintenances/worker-1", asJSON, "").want(t, http.StatusNotFound)
}

func TestMachineMaintenanceCreate(t *testing.T) {
	s := startServer(t)
	s.announce(inOps, "taken")
	s.do("alice", http.MethodPost, eventsPath, asJSON, `{"metadata":{"name":"mm.ops.foreign"},"spec":{"code":"instance-stop","nodeName":"worker-1"}}`).want(t, http.StatusCreated)
	long := strings.Repeat("a", 250)
	for name, test := range map[string]struct {
		body, text string
		code       int
	}{
		"twice":              {body: announced("taken"), code: http.StatusConflict, text: `machinemaintenances.machinemaintenance.managed.openshift.io "taken" already exists`},
		"name of an event":   {body: announced("foreign"), code: http.StatusConflict, text: "there is a ScheduledEvent mm.ops.foreign of another source than openshift: choose another name"},
		"too long a name":    {body: announced(long), code: http.StatusUnprocessableEntity, text: `must be no more than 246 characters in namespace "ops"`},
		"another namespace":  {body: strings.Replace(announced("a"), `"metadata":{`, `"metadata":{"namespace":"other",`, 1), code: http.StatusBadRequest, text: "namespace"},
		"without machine":    {body: `{"metadata":{"name":"a"},"spec":{"maintenancescheduled":false}}`, code: http.StatusUnprocessableEntity, text: "spec.machinelink: Required value"},
		"bad code":           {body: strings.Replace(announced("a"), "instance-stop", "Stop!", 1), code: http.StatusUnprocessableEntity, text: "spec.eventcode: Invalid value"},
		"without code":       {body: strings.Replace(announced("b"), `"eventcode":"instance-stop",`, "", 1), code: http.StatusCreated, text: "spec.eventcode is empty: it is taken for instance-retirement"},
		"with code":          {body: announced("c"), code: http.StatusCreated},
		"a name is made":     {body: strings.Replace(announced("x"), `"name":"x"`, `"generateName":"mm-"`, 1), code: http.StatusCreated, text: `"name":"mm-`},
		"unknown code warns": {body: strings.Replace(announced("d"), "instance-stop", "other", 1), code: http.StatusCreated, text: "spec.events"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.do("alice", http.MethodPost, inOps, asJSON, test.body).want(t, test.code)
			got.wantText(t, test.text)
			for _, theirs := range []string{"spec.code", "spec.machineRef", "spec.state"} {
				if strings.Contains(string(got.body)+strings.Join(got.warnings, "\n"), theirs) {
					t.Errorf("it names the field %s: %s %v", theirs, got.body, got.warnings)
				}
			}
		})
	}
}

// Events that are none of the operator's are not shown, and others are in their namespace only.
func TestMachineMaintenanceLists(t *testing.T) {
	s := startServer(t)
	const other = managed + "/namespaces/other/machinemaintenances"
	s.announce(inOps, "a")
	s.announce(inOps, "b")
	s.announce(other, "a")
	for name, spec := range map[string]string{"mm.ops.c": `"nodeName":"worker-1"`, "d": `"nodeName":"worker-1","source":"openshift"`} {
		s.do("alice", http.MethodPost, eventsPath, asJSON, `{"metadata":{"name":"`+name+`"},"spec":{"code":"instance-stop",`+spec+`}}`).want(t, http.StatusCreated)
	}
	for path, want := range map[string][]string{
		everywhere:                 {"ops/a", "ops/b", "other/a"},
		inOps:                      {"ops/a", "ops/b"},
		inOps + "?fieldSelector=":  {"ops/a", "ops/b"},
		inOps + "?labelSelector=a": nil,
		managed + "/namespaces/none/machinemaintenances": nil,

		everywhere + "?fieldSelector=" + url.QueryEscape("metadata.name=a"):        {"ops/a", "other/a"},
		everywhere + "?fieldSelector=" + url.QueryEscape("metadata.namespace=ops"): {"ops/a", "ops/b"},
		inOps + "?fieldSelector=" + url.QueryEscape("metadata.name=b"):             {"ops/b"},
		inOps + "?fieldSelector=" + url.QueryEscape("metadata.name!=b"):            {"ops/a"},
		inOps + "?fieldSelector=" + url.QueryEscape("metadata.name=c"):             nil,
	} {
		list := s.listed(path)
		got := mmNames(list)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: differs (-want +got):\n%s", path, diff)
		}
		if list.ResourceVersion == "" {
			t.Errorf("%s: the list has no version", path)
		}
	}
	s.do("alice", http.MethodGet, inOps+"/c", asJSON, "").want(t, http.StatusNotFound).wantText(t, `machinemaintenances.machinemaintenance.managed.openshift.io "c" not found`)
	s.do("alice", http.MethodDelete, inOps+"/c", asJSON, "").want(t, http.StatusNotFound)
	s.event("mm.ops.c")
}

// The pages of a list have each object once, although they are those of all events.
func TestMachineMaintenancePages(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{"a", "b", "c"} {
		s.announce(inOps, name)
		s.announce(managed+"/namespaces/before/machinemaintenances", name)
	}
	var got []string
	for token, pages := "", 0; token != "" || pages == 0; pages++ {
		page := s.listed(inOps + "?limit=2&continue=" + token)
		got, token = append(got, mmNames(page)...), page.Continue
		if page.RemainingItemCount != nil || len(page.Items) > 2 {
			t.Errorf("a page has %d objects, and %v remain", len(page.Items), page.RemainingItemCount)
		}
	}
	if diff := cmp.Diff([]string{"ops/a", "ops/b", "ops/c"}, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func TestMachineMaintenanceTable(t *testing.T) {
	s := startServer(t)
	s.announce(inOps, "a")
	table := decode[metav1.Table](t, s.do("alice", http.MethodGet, inOps, asTable, "").want(t, http.StatusOK))
	if len(table.ColumnDefinitions) != 2 || len(table.Rows) != 1 || table.Rows[0].Cells[0] != "a" {
		t.Errorf("got %+v", table)
	}
}

// watched reads events of a watch, without bookmarks, until it has seen so many.
func (s *testServer) watched(path string, count int) func() []string {
	s.t.Helper()
	response := s.send("alice", http.MethodGet, path, asJSON, "")
	s.t.Cleanup(func() { _ = response.Body.Close() })
	events := json.NewDecoder(response.Body)
	return func() []string {
		var seen []string
		for len(seen) < count {
			var event struct {
				Type   watch.EventType
				Object managedv1alpha1.MachineMaintenance
			}
			if err := events.Decode(&event); err != nil {
				s.t.Fatalf("could not read an event of %s after %v: %v", path, seen, err)
			}
			if event.Object.APIVersion != "machinemaintenance.managed.openshift.io/v1alpha1" || event.Object.Kind != "MachineMaintenance" {
				s.t.Errorf("%s: got an object of %s %s", path, event.Object.APIVersion, event.Object.Kind)
			}
			if event.Type != watch.Bookmark || event.Object.Annotations[metav1.InitialEventsAnnotationKey] != "" {
				seen = append(seen, string(event.Type)+" "+event.Object.Namespace+"/"+event.Object.Name)
			}
		}
		return seen
	}
}

// A watch in a namespace, or of one name, sees what it asks for: kubectl delete waits with the latter.
func TestMachineMaintenanceWatches(t *testing.T) {
	s := startServer(t)
	const other = managed + "/namespaces/other/machinemaintenances"
	s.announce(inOps, "a")
	version := s.listed(everywhere).ResourceVersion
	const ofA = "&fieldSelector=metadata.name%3Da"
	watches := map[string][]string{
		everywhere + "?watch=true&resourceVersion=" + version:       {"ADDED other/a", "ADDED ops/b", "MODIFIED ops/a", "DELETED ops/a"},
		inOps + "?watch=true&resourceVersion=" + version:            {"ADDED ops/b", "MODIFIED ops/a", "DELETED ops/a"},
		inOps + "?watch=true&resourceVersion=" + version + ofA:      {"MODIFIED ops/a", "DELETED ops/a"},
		everywhere + "?watch=true&resourceVersion=" + version + ofA: {"ADDED other/a", "MODIFIED ops/a", "DELETED ops/a"},
		inOps + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" + ofA: {
			"ADDED ops/a", "BOOKMARK /", "MODIFIED ops/a", "DELETED ops/a",
		},
	}
	reads := map[string]func() []string{}
	for path, want := range watches {
		reads[path] = s.watched(path, len(want))
	}
	s.announce(other, "a")
	s.announce(inOps, "b")
	s.deleteAndEnd(t, "a")
	for path, want := range watches {
		if diff := cmp.Diff(want, reads[path]()); diff != "" {
			t.Errorf("%s: events differ (-want +got):\n%s", path, diff)
		}
	}
}

// deleteAndEnd deletes a MachineMaintenance in ops, and takes the finalizer off, as the server does when all is withdrawn.
func (s *testServer) deleteAndEnd(t *testing.T, name string) {
	t.Helper()
	deleted := decode[managedv1alpha1.MachineMaintenance](t, s.do("alice", http.MethodDelete, inOps+"/"+name, asJSON, "").want(t, http.StatusOK))
	if deleted.DeletionTimestamp == nil || deleted.Name != name || deleted.Namespace != "ops" {
		t.Errorf("the answer is %+v", deleted.ObjectMeta)
	}
	event := s.event("mm.ops." + name)
	if deleted.UID != managedv1alpha1.OtherUID(event.UID) {
		t.Errorf("the answer has UID %s, and the event %s", deleted.UID, event.UID)
	}
	event.Finalizers = nil
	body, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	s.do(server, http.MethodPut, eventsPath+"/"+event.Name, asJSON, string(body)).want(t, http.StatusOK)
	s.do("alice", http.MethodGet, inOps+"/"+name, asJSON, "").want(t, http.StatusNotFound)
}

func TestMachineMaintenanceDeletePreconditions(t *testing.T) {
	s := startServer(t)
	created := s.announce(inOps, "a")
	uid := s.event("mm.ops.a").UID
	body := func(uid string) string {
		return `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"` + uid + `"}}`
	}
	s.do("alice", http.MethodDelete, inOps+"/a", asJSON, body(string(uid))).want(t, http.StatusConflict)
	s.do("alice", http.MethodDelete, inOps+"/a", asJSON, body(string(created.UID))).want(t, http.StatusOK)
}

// A deletecollection deletes what it selects, and no other event.
func TestMachineMaintenanceDeleteCollection(t *testing.T) {
	s := startServer(t)
	const other = managed + "/namespaces/other/machinemaintenances"
	s.announce(inOps, "a")
	s.announce(inOps, "b")
	s.announce(other, "a")
	s.do("alice", http.MethodPost, eventsPath, asJSON, `{"metadata":{"name":"mm.ops.c"},"spec":{"code":"instance-stop","nodeName":"worker-1"}}`).want(t, http.StatusCreated)
	deleted := decode[managedv1alpha1.MachineMaintenanceList](t, s.do("alice", http.MethodDelete, inOps, asJSON, "").want(t, http.StatusOK))
	if diff := cmp.Diff([]string{"ops/a", "ops/b"}, mmNames(deleted)); diff != "" {
		t.Errorf("the answer differs (-want +got):\n%s", diff)
	}
	for name, want := range map[string]bool{"mm.ops.a": true, "mm.ops.b": true, "mm.other.a": false, "mm.ops.c": false} {
		if got := s.event(name).DeletionTimestamp != nil; got != want {
			t.Errorf("%s is being deleted: %t, want %t", name, got, want)
		}
	}
}

// Writes pass admission under both names, so that no policy for ScheduledEvents can be evaded.
func TestMachineMaintenanceAdmission(t *testing.T) {
	s := startServer(t)
	step := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, s.admission.seen()); diff != "" {
			t.Errorf("%s: admission differs (-want +got):\n%s", what, diff)
		}
	}
	s.announce(inOps, "a")
	step("create", "M CREATE machinemaintenances a", "M CREATE scheduledevents mm.ops.a", "V CREATE machinemaintenances a", "V CREATE scheduledevents mm.ops.a")
	s.do("alice", http.MethodPatch, inOps+"/a", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK)
	step("patch", "M UPDATE machinemaintenances a", "M UPDATE scheduledevents mm.ops.a", "V UPDATE machinemaintenances a", "V UPDATE scheduledevents mm.ops.a")
	s.do("alice", http.MethodPatch, inOps+"/b?fieldManager=x", asApply, announced("b")).want(t, http.StatusCreated)
	step("apply", "M CREATE machinemaintenances b", "M CREATE scheduledevents mm.ops.b", "V CREATE machinemaintenances b", "V CREATE scheduledevents mm.ops.b")
	s.do("alice", http.MethodDelete, inOps+"/a", asJSON, "").want(t, http.StatusOK)
	step("delete", "M DELETE machinemaintenances a", "V DELETE machinemaintenances a", "M DELETE scheduledevents mm.ops.a", "V DELETE scheduledevents mm.ops.a")
}
