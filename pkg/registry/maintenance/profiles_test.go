// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	profilesPath     = "/apis/maintenance.medik8s.io/v1beta1/maintenanceprofiles"
	endpointsPath    = "/apis/maintenance.medik8s.io/v1beta1/maintenanceendpoints"
	nodeProfilesPath = "/apis/maintenance.medik8s.io/v1beta1/nodeprofiles"
)

// testProfiles previews and evaluates profiles. It knows one node.
type testProfiles struct{ unknown atomic.Bool }

func (p *testProfiles) Preview(_ context.Context, profile *v1beta1.MaintenanceProfile) (*v1beta1.ProfilePreview, error) {
	if p.unknown.Load() {
		return nil, errors.New("the nodes are not known yet")
	}
	return &v1beta1.ProfilePreview{Nodes: 1, Items: []v1beta1.ProfilePreviewNode{
		{Node: "worker-1", State: v1beta1.ProfileOperational, Message: "as " + profile.Name},
	}}, nil
}

func (p *testProfiles) Evaluate(_ context.Context, nodeProfile *v1beta1.NodeProfile) (*v1beta1.NodeProfileEvaluation, error) {
	if p.unknown.Load() {
		return nil, errors.New("the nodes are not known yet")
	}
	return &v1beta1.NodeProfileEvaluation{State: nodeProfile.Status.State, Sequence: nodeProfile.Status.Sequence, Transition: "start"}, nil
}

// profile is the body of a profile with checks, as YAML, and of what else its spec has.
func profile(name, checks string, more ...string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceProfile","metadata":{"name":%q},"spec":{"nodes":{"selector":{}},`+
		`"checks":[%s],"states":{"operational":{"transitions":[{"name":"start","check":"a","next":"InMaintenance"}]},`+
		`"inMaintenance":{"transitions":[{"name":"done","check":"!a","next":"Operational"}]}}%s}}`, name, checks, strings.Join(more, ""))
}

const (
	approved = `{"name":"a","approval":{}}`
	asks     = `{"name":"a","prometheus":{"endpoint":"prom","query":"up","expression":"value < 1"}}`
)

func endpoint(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceEndpoint","metadata":{"name":%q},"spec":%s}`, name, spec)
}

func (s *testServer) profile(name string) v1beta1.MaintenanceProfile {
	s.t.Helper()
	return decode[v1beta1.MaintenanceProfile](s.t, s.do("alice", http.MethodGet, profilesPath+"/"+name, asJSON, "").want(s.t, http.StatusOK))
}

// A client writes the spec, and the server the status and the finalizer.
func TestProfileIsServed(t *testing.T) {
	s := startServer(t)
	apply := profilesPath + "/flatcar?fieldManager=test"
	created := s.do("alice", http.MethodPatch, apply, asApply, profile("flatcar", approved)).want(t, http.StatusCreated)
	if len(created.warnings) > 0 {
		t.Errorf("warnings of a profile that has nothing odd: %q", created.warnings)
	}
	s.do("alice", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"status":{"observedGeneration":7}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, profilesPath+"/flatcar/status", asMergePatch,
		`{"spec":{"mode":"Paused"},"metadata":{"labels":{"a":"b"}},"status":{"observedGeneration":1,"counts":{"nodes":3},"preview":{"nodes":3},"author":{"username":"root"}}}`).want(t, http.StatusOK)
	got := s.profile("flatcar")
	alice := &v1beta1.Author{Username: "alice", Groups: []string{"system:authenticated"}}
	if diff := cmp.Diff(v1beta1.MaintenanceProfileStatus{ObservedGeneration: 1, Counts: v1beta1.ProfileCounts{Nodes: 3}, Author: alice}, got.Status); diff != "" {
		t.Errorf("status differs (-want +got):\n%s", diff)
	}
	if got.Spec.Mode != v1beta1.ProfileActive || len(got.Labels) > 0 || got.Generation != 1 || !slices.Equal(got.Finalizers, []string{v1beta1.DetachFinalizer}) {
		t.Errorf("got mode %s, labels %v, generation %d, finalizers %v", got.Spec.Mode, got.Labels, got.Generation, got.Finalizers)
	}
	s.do("bob", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"spec":{"mode":"DryRun"}}`).want(t, http.StatusOK)
	if got := s.profile("flatcar"); got.Generation != 2 || got.Status.Counts.Nodes != 3 || got.Status.Author.Username != "alice" {
		t.Errorf("got generation %d, %d nodes and author %s, want 2, 3 and alice", got.Generation, got.Status.Counts.Nodes, got.Status.Author.Username)
	}
	s.do("bob", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"spec":{"mode":"Active"}}`).want(t, http.StatusOK)
	if got := s.profile("flatcar"); got.Status.Author.Username != "bob" {
		t.Errorf("got author %s, want bob, who had it act", got.Status.Author.Username)
	}
}

// A profile goes once the server has taken it off all nodes, and nobody else can hurry that.
func TestProfileGoesLast(t *testing.T) {
	s := startServer(t)
	path := profilesPath + "/flatcar"
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("flatcar", approved)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPatch, path+"/status", asMergePatch, `{"status":{"counts":{"nodes":3,"maintenanceRequired":1,"inMaintenance":1}}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK).
		wantText(t, "maintenance.medik8s.io/detach is kept: the server removes it when the profile is off all of its nodes")
	s.do(server, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK).
		wantText(t, `profile "flatcar" goes once it is Operational on all nodes: on 2 it is not; to end it there at once, set spec.onDetach to Release`)
	s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)
	if s.profile("flatcar").DeletionTimestamp == nil {
		t.Error("the profile is not being deleted")
	}
	s.do(server, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusNotFound)
}

// What cannot be beside other profiles is refused, with the field.
func TestProfilesBesideOthers(t *testing.T) {
	s := startServer(t)
	post := func(body string) answer { return s.do("alice", http.MethodPost, profilesPath, asJSON, body) }
	post(profile("first", approved, `,"alias":"flatcar"`)).want(t, http.StatusCreated)
	post(profile("flatcar", approved)).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.alias: Invalid value: "flatcar": is what nodes call profile "first" already: set another one`)
	post(profile("second", approved)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPatch, profilesPath+"/second", asMergePatch, `{"spec":{"alias":"first"}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, profilesPath+"/second", asMergePatch, `{"spec":{"alias":"flatcar"}}`).want(t, http.StatusUnprocessableEntity)
	s.do("alice", http.MethodPatch, profilesPath+"/first", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK)
}

func TestEndpointsOfProfiles(t *testing.T) {
	s := startServer(t)
	post := func(path, body string) answer { return s.do("alice", http.MethodPost, path, asJSON, body) }
	post(profilesPath, profile("asks", asks)).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.checks[0].prometheus.endpoint: Invalid value: "prom": there is no such MaintenanceEndpoint: create it first`)
	post(endpointsPath, endpoint("prom", `{"http":{"url":"http://a"}}`)).want(t, http.StatusCreated)
	post(profilesPath, profile("asks", asks)).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.checks[0].prometheus.endpoint: Invalid value: "prom": is a MaintenanceEndpoint with http, and must be one with prometheus`)
	s.do("alice", http.MethodDelete, endpointsPath+"/prom", asJSON, "").want(t, http.StatusOK)
	post(endpointsPath, endpoint("prom", `{"prometheus":{"url":"https://a"},"secretRef":{"name":"s"}}`)).want(t, http.StatusCreated)
	post(profilesPath, profile("asks", asks)).want(t, http.StatusCreated)
	// Who changes something else need not know that the endpoint has gone.
	s.do("alice", http.MethodDelete, endpointsPath+"/prom", asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, profilesPath+"/asks", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK)
	s.rights.take("mallory use maintenanceendpoints/")
	s.do("mallory", http.MethodPost, profilesPath, asJSON, profile("more", asks)).want(t, http.StatusForbidden).
		wantText(t, `User "mallory" cannot use resource "maintenanceendpoints" in API group "maintenance.medik8s.io" named "prom", which spec.checks[0].prometheus.endpoint asks for`)
}

// Each resource that checks ask about is a cache in the memory of every replica.
func TestWatchedResources(t *testing.T) {
	s := startServer(t)
	checks := func(from, to int) string {
		all := []string{approved}
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf(`{"name":"c%d","object":{"apiVersion":"v1","resource":"pods","expression":"true",`+
				`"namespace":"n%d","selector":{"matchLabels":{"app":"a%d"}}}}`, i, i/2, i))
		}
		return strings.Join(all, ",")
	}
	// A user who is no admin leaves half of them to others.
	s.rights.take("mallory create maintenancepolicies/")
	s.do("mallory", http.MethodPost, profilesPath, asJSON, profile("half", checks(0, 10))).want(t, http.StatusCreated)
	s.do("mallory", http.MethodPost, profilesPath, asJSON, profile("more", checks(9, 11))).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.checks: Forbidden: with it, the profiles that user "mallory" has written watch 11 resources that no others watch, and one user may have 10, `)
	s.do("mallory", http.MethodPatch, profilesPath+"/half", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("one", checks(0, 15))).want(t, http.StatusCreated)
	s.do("mallory", http.MethodPost, profilesPath, asJSON, profile("shared", checks(10, 15))).want(t, http.StatusCreated)
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("two", checks(10, 21))).want(t, http.StatusUnprocessableEntity).
		wantText(t, "spec.checks: Forbidden: all profiles together may watch 20 resources, and with this one they would watch 21, "+
			"since each namespace and each selector of a resource is one")
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("two", checks(10, 20))).want(t, http.StatusCreated)
}

// The answer to a dry run says what the profile would do, and warns as the write would.
func TestProfilePreview(t *testing.T) {
	s := startServer(t)
	body := profile("flatcar", `{"name":"a","nodeCount":{"min":3}}`)
	preview := s.do("alice", http.MethodPost, profilesPath+"?dryRun=All", asJSON, body).want(t, http.StatusCreated).
		wantText(t, "spec.states.operational.transitions[0].check: all nodes can be in maintenance at the same time")
	want := &v1beta1.ProfilePreview{Nodes: 1, Items: []v1beta1.ProfilePreviewNode{{Node: "worker-1", State: v1beta1.ProfileOperational, Message: "as flatcar"}}}
	if diff := cmp.Diff(want, decode[v1beta1.MaintenanceProfile](t, preview).Status.Preview); diff != "" {
		t.Errorf("the preview differs (-want +got):\n%s", diff)
	}
	s.do("alice", http.MethodGet, profilesPath+"/flatcar", asJSON, "").want(t, http.StatusNotFound)
	created := s.do("alice", http.MethodPost, profilesPath, asJSON, body).want(t, http.StatusCreated)
	if decode[v1beta1.MaintenanceProfile](t, created).Status.Preview != nil {
		t.Error("a preview is stored")
	}
	// What does not change is not warned of again.
	if again := s.do("alice", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK); len(again.warnings) > 0 {
		t.Errorf("warnings of a new label: %q", again.warnings)
	}
	s.profiles.unknown.Store(true)
	s.do("alice", http.MethodPatch, profilesPath+"/flatcar?dryRun=All", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK).
		wantText(t, "status.preview does not say what the profile would do now: the nodes are not known yet")
}

// Who may write profiles has the server do no more than they may do themselves.
func TestAuthorsOfProfiles(t *testing.T) {
	s := startServer(t)
	s.rights.take("mallory create nodes/maintenance")
	s.do("mallory", http.MethodPost, profilesPath, asJSON, profile("flatcar", approved)).want(t, http.StatusForbidden).
		wantText(t, `User "mallory" cannot create resource "nodes/maintenance" in API group "maintenance.medik8s.io", which the profile asks for`)
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("flatcar", approved)).want(t, http.StatusCreated)
	s.do("mallory", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusForbidden)
	s.do("mallory", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"spec":{"mode":"Paused"}}`).want(t, http.StatusOK)
	s.do("mallory", http.MethodPatch, profilesPath+"/flatcar", asMergePatch, `{"spec":{"mode":"Active"}}`).want(t, http.StatusForbidden)
}

// NodeProfiles are the server's own, whatever RBAC says; everybody may read them.
func TestOnlyTheServerWritesNodeProfiles(t *testing.T) {
	s := startServer(t)
	const want = "only maintenance-apiserver itself writes NodeProfiles"
	path := nodeProfilesPath + "/worker-1.flatcar"
	s.do("alice", http.MethodPost, nodeProfilesPath, asJSON, nodeProfileBody("worker-1", "flatcar")).want(t, http.StatusForbidden).wantText(t, want)
	created := s.newNodeProfile("worker-1", "flatcar")
	if len(created.ManagedFields) > 0 || created.Status.State != v1beta1.ProfileMaintenanceRequired {
		t.Errorf("got owners %v and the state %q", created.ManagedFields, created.Status.State)
	}
	for what, refused := range map[string]answer{
		"status":            s.do("alice", http.MethodPatch, path+"/status", asMergePatch, `{"status":{"state":"InMaintenance"}}`),
		"labels":            s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`),
		"apply":             s.do("alice", http.MethodPatch, nodeProfilesPath+"/worker-2.flatcar?fieldManager=test", asApply, nodeProfileBody("worker-2", "flatcar")),
		"delete":            s.do("alice", http.MethodDelete, path, asJSON, ""),
		"delete collection": s.do("alice", http.MethodDelete, nodeProfilesPath, asJSON, ""),
	} {
		t.Run(what, func(t *testing.T) { refused.want(t, http.StatusForbidden).wantText(t, want) })
	}
	s.do(server, http.MethodPatch, path+"/status", asMergePatch, `{"spec":{"nodeName":"x"},"status":{"waitingFor":"the night"}}`).want(t, http.StatusOK)
	s.do(server, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":["maintenance.medik8s.io/outbox"]},"status":{"waitingFor":"nothing"}}`).want(t, http.StatusOK)
	s.do(server, http.MethodPatch, path, asMergePatch, `{"spec":{"nodeName":"worker-2"}}`).want(t, http.StatusUnprocessableEntity).wantText(t, "field is immutable")
	got := decode[v1beta1.NodeProfile](t, s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK))
	if got.Status.WaitingFor != "the night" || len(got.Finalizers) != 1 || len(got.ManagedFields) > 0 {
		t.Errorf("got %+v", got)
	}
}

func nodeProfileBody(node, profile string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeProfile","metadata":{"name":"%[1]s.%[2]s"},"spec":{"nodeName":%[1]q,"profile":%[2]q},`+
		`"status":{"state":"MaintenanceRequired","sequence":2,"transitions":[{"name":"start","next":"InMaintenance","result":"False"}]}}`, node, profile)
}

// newNodeProfile creates one that waits for a transition named start.
func (s *testServer) newNodeProfile(node, profile string) v1beta1.NodeProfile {
	s.t.Helper()
	return decode[v1beta1.NodeProfile](s.t, s.do(server, http.MethodPost, nodeProfilesPath, asJSON, nodeProfileBody(node, profile)).want(s.t, http.StatusCreated))
}

func TestSelectNodeProfiles(t *testing.T) {
	s := startServer(t)
	s.newNodeProfile("worker-1", "flatcar")
	s.newNodeProfile("worker-1", "esx")
	s.newNodeProfile("worker-2", "flatcar")
	s.do(server, http.MethodPatch, nodeProfilesPath+"/worker-2.flatcar/status", asMergePatch, `{"status":{"state":"Operational"}}`).want(t, http.StatusOK)
	for selector, want := range map[string][]string{
		"spec.nodeName=worker-1":     {"worker-1.esx", "worker-1.flatcar"},
		"spec.profile=flatcar":       {"worker-1.flatcar", "worker-2.flatcar"},
		"status.state=Operational":   {"worker-2.flatcar"},
		"metadata.name=worker-1.esx": {"worker-1.esx"},
		"status.state!=Operational":  {"worker-1.esx", "worker-1.flatcar"},
		"spec.nodeName=worker-9":     nil,
	} {
		var names []string
		for _, item := range decode[v1beta1.NodeProfileList](t, s.do("alice", http.MethodGet, nodeProfilesPath+"?fieldSelector="+selector, asJSON, "").want(t, http.StatusOK)).Items {
			names = append(names, item.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s selects %q, want %q", selector, names, want)
		}
	}
}

func TestUnknownFieldOfNodeProfiles(t *testing.T) {
	startServer(t).do("alice", http.MethodGet, nodeProfilesPath+"?fieldSelector=status.phase=x", asJSON, "").want(t, http.StatusBadRequest).
		wantText(t, "use metadata.name, spec.nodeName, spec.profile or status.state")
}

func TestEvaluation(t *testing.T) {
	s := startServer(t)
	s.newNodeProfile("worker-1", "flatcar")
	path := nodeProfilesPath + "/worker-1.flatcar/evaluation"
	got := decode[v1beta1.NodeProfileEvaluation](t, s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK))
	if got.Name != "worker-1.flatcar" || got.State != v1beta1.ProfileMaintenanceRequired || got.Sequence != 2 || got.Transition != "start" {
		t.Errorf("got %+v", got)
	}
	s.do("alice", http.MethodGet, nodeProfilesPath+"/worker-2.flatcar/evaluation", asJSON, "").want(t, http.StatusNotFound)
	s.profiles.unknown.Store(true)
	s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusServiceUnavailable).wantText(t, "the nodes are not known yet")
}

// newAge is the age of what was created in a test.
var newAge = regexp.MustCompile(`^\d+s$|^\d+m(\d+s)?$`)

// What kubectl prints.
func TestTablesOfProfiles(t *testing.T) {
	s := startServer(t)
	s.newNodeProfile("worker-1", "flatcar")
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("flatcar", approved)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPatch, profilesPath+"/flatcar/status", asMergePatch, `{"status":{"observedGeneration":1,"counts":{"nodes":4,"operational":1,"inMaintenance":3},`+
		`"conditions":[{"type":"Acting","status":"False","reason":"OtherController","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPost, endpointsPath, asJSON, endpoint("mail", `{"smtp":{"address":"mail:587"},"secretRef":{"name":"m"}}`)).want(t, http.StatusCreated)
	for path, want := range map[string]string{
		profilesPath:     "Name Mode Nodes Operational Required In Maintenance Age Alias Priority Selects: flatcar OtherController 4 1 0 3 0s flatcar 0 selector <none>",
		endpointsPath:    "Name Kind Where Age Secret: mail smtp mail:587 0s m",
		nodeProfilesPath: "Name Node Profile State Since Waiting For Doing Sequence Age: worker-1.flatcar worker-1 flatcar MaintenanceRequired <unknown> <none> <none> 2 0s",
	} {
		table := decode[metav1.Table](t, s.do("alice", http.MethodGet, path, asTable, "").want(t, http.StatusOK))
		var headings []string
		cells := table.Rows[0].Cells
		for i, column := range table.ColumnDefinitions {
			headings = append(headings, column.Name)
			if age := fmt.Sprint(cells[i]); column.Name == "Age" && newAge.MatchString(age) {
				cells[i] = "0s"
			}
		}
		if got := fmt.Sprintf("%s: %s", strings.Join(headings, " "), strings.Trim(fmt.Sprint(cells), "[]")); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// fleet is a cluster with 5,000 nodes.
type fleet struct{ *changingNodes }

func (fleet) Nodes() ([]*corev1.Node, error) {
	nodes := make([]*corev1.Node, 5000)
	for i := range nodes {
		nodes[i] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i)}}
	}
	return nodes, nil
}

// A profile is refused that selects more nodes than the server has memory for, with what would be enough. What is stored
// already stays, and may select fewer nodes.
func TestNoRoomForNodeProfiles(t *testing.T) {
	s := startServer(t, func(d *Dependencies) { d.Room, d.Nodes = resource.NewRoom(921<<20), fleet{&changingNodes{}} })
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("first", approved)).want(t, http.StatusCreated)
	const want = "spec.nodes: Forbidden: selects 5,000 nodes; with the 5,000 NodeProfiles of other profiles that is 10,000, " +
		"and this server has room for 5,688 (GOMEMLIMIT is 921 MiB): select fewer nodes, or raise GOMEMLIMIT to 1.4 GiB " +
		"(with Helm: resources.limits.memory to 1623Mi)"
	for _, dryRun := range []string{"?dryRun=All", ""} {
		s.do("bob", http.MethodPost, profilesPath+dryRun, asJSON, profile("second", approved)).want(t, http.StatusUnprocessableEntity).wantText(t, want)
	}
	one := `{"spec":{"nodes":{"selector":null,"names":["node-1"]}}}`
	s.do("alice", http.MethodPatch, profilesPath+"/first", asMergePatch, one).want(t, http.StatusOK)
	s.do("bob", http.MethodPost, profilesPath, asJSON, profile("second", approved)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPatch, profilesPath+"/first", asMergePatch, `{"spec":{"nodes":{"selector":{}}}}`).want(t, http.StatusUnprocessableEntity)
	s.do("alice", http.MethodPatch, profilesPath+"/first", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK)
}

// A user who is no admin can have half of the room: what others have written, and admins write, does not count.
func TestShareOfRoom(t *testing.T) {
	s := startServer(t, func(d *Dependencies) { d.Room, d.Nodes = resource.NewRoom(1600<<20), fleet{&changingNodes{}} })
	s.rights.take("mallory create maintenancepolicies/")
	post := func(user, name, nodes string) answer {
		return s.do(user, http.MethodPost, profilesPath, asJSON, strings.Replace(profile(name, approved), `{"selector":{}}`, nodes, 1))
	}
	const all, one = `{"selector":{}}`, `{"names":["node-1"]}`
	post("alice", "of-alice", one).want(t, http.StatusCreated)
	post("mallory", "first", all).want(t, http.StatusCreated)
	post("mallory", "second", all).want(t, http.StatusUnprocessableEntity).wantText(t,
		`spec.nodes: Forbidden: selects 5,000 nodes; with those of other profiles that user "mallory" has written that is 10,000, `+
			"and one user may have 5,560 NodeProfiles, half of what there is room for, so that others have some, too: "+
			"select fewer nodes, or ask an admin, who may create MaintenancePolicies, to write it")
	post("alice", "second", all).want(t, http.StatusCreated)
	post("alice", "second-of-alice", one).want(t, http.StatusCreated)

	for i := 1; i < 128; i++ {
		post("mallory", fmt.Sprint("small-", i), one).want(t, http.StatusCreated)
	}
	post("mallory", "small-128", one).want(t, http.StatusForbidden).wantText(t,
		`user "mallory" has written 128 MaintenanceProfiles, and may have 128, half of what there is room for, so that others have some, too: `)
	s.do("mallory", http.MethodPatch, profilesPath+"/small-1", asMergePatch, `{"spec":{"priority":1}}`).want(t, http.StatusOK)
	s.do("mallory", http.MethodDelete, profilesPath+"/small-1", asJSON, "").want(t, http.StatusOK)
	post("alice", "last", one).want(t, http.StatusCreated)
}

// Users who write profiles of the largest size until that is refused leave the others what they have, and all of them the
// right to make them smaller. One who is no admin leaves half of the room.
func TestNoRoomForProfiles(t *testing.T) {
	s := startServer(t, func(d *Dependencies) { d.Room = resource.NewRoom(400 << 20) })
	large := func(name string) string {
		checks := []string{approved}
		for i := range 15 {
			checks = append(checks, fmt.Sprintf(`{"name":"c%d","node":{"expression":"'%s' != node.metadata.name"}}`, i, strings.Repeat("x", 4000)))
		}
		return profile(name, strings.Join(checks, ","))
	}
	s.rights.take("mallory create maintenancepolicies/")
	for i := range 2 {
		s.do("mallory", http.MethodPost, profilesPath, asJSON, large(fmt.Sprint("of-mallory-", i))).want(t, http.StatusCreated)
	}
	s.do("mallory", http.MethodPost, profilesPath, asJSON, large("of-mallory-2")).want(t, http.StatusForbidden).
		wantText(t, `user "mallory" has written 124 KiB of other MaintenanceProfiles, and may have 152 KiB, half of what there is room for`)
	const want = "of other MaintenanceProfiles that is more than the 304 KiB that the memory limit of this server has room for: " +
		"delete those that nobody uses, have one do the work of two, or give the server more memory"
	stored := 0
	for ; stored < 10; stored++ {
		got := s.do("alice", http.MethodPost, profilesPath, asJSON, large(fmt.Sprint("large-", stored)))
		if got.code != http.StatusCreated {
			got.want(t, http.StatusForbidden).wantText(t, want)
			break
		}
	}
	if stored != 2 {
		t.Errorf("%d profiles of 60 KiB were stored besides, want 2", stored)
	}
	annotated := func(bytes int) string {
		return fmt.Sprintf(`{"metadata":{"annotations":{"a":%q}}}`, strings.Repeat("x", bytes))
	}
	s.do("alice", http.MethodPatch, profilesPath+"/large-0", asMergePatch, annotated(60_000)).want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodPatch, profilesPath+"/large-0", asMergePatch, annotated(150_000)).want(t, http.StatusForbidden).
		wantText(t, "with its metadata, and may have 192 KiB: make it smaller")
	s.do("alice", http.MethodPatch, profilesPath+"/large-0", asMergePatch, `{"spec":{"checks":[`+approved+`]}}`).want(t, http.StatusOK)
	s.do("bob", http.MethodPost, profilesPath, asJSON, profile("small", approved)).want(t, http.StatusCreated)
	s.do("bob", http.MethodPost, endpointsPath, asJSON, endpoint("e", `{"prometheus":{"url":"https://prometheus.example.com"}}`)).want(t, http.StatusCreated)
	s.create("bob", "b", "worker-1")
}
