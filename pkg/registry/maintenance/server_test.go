// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/openapi"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
)

const (
	collection = "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances"

	asJSON       = "application/json"
	asMergePatch = "application/merge-patch+json"
	asApply      = "application/apply-patch+yaml"
	asTable      = "application/json;as=Table;v=v1;g=meta.k8s.io"

	// server is the name that the test server knows its own client by.
	server = user.APIServerUser
)

type noWaker struct{}

func (noWaker) Wake(string) {}

// everyNode is a cluster that has every node but worker-9.
type everyNode struct{}

func (everyNode) HasNode(name string) bool { return name != "worker-9" }

func (n everyNode) Node(name string) (*corev1.Node, error) {
	nodes, err := n.Nodes()
	for _, node := range nodes {
		if node.Name == name {
			return node, err
		}
	}
	return nil, err
}

func (everyNode) Nodes() ([]*corev1.Node, error) {
	var nodes []*corev1.Node
	for _, name := range []string{"worker-3", "worker-1", "worker-2"} {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u", Labels: map[string]string{"name": name}}})
	}
	return nodes, nil
}

func (everyNode) WatchNodes(func(string)) (func(), error) { return func() {}, nil }

type noPlanner struct{}

// Plan knows one pod, on worker-2, which cannot leave.
func (noPlanner) Plan(_ context.Context, hold *v1beta1.NodeMaintenance, _ bool) (*v1beta1.DrainPlanStatus, error) {
	if hold.Spec.NodeName == "worker-2" {
		return &v1beta1.DrainPlanStatus{PermanentlyBlockedPods: []string{"shop/web"}}, nil
	}
	return &v1beta1.DrainPlanStatus{}, nil
}

// noQuorum is a cluster whose control plane, cp-1, cannot do without any member.
type noQuorum struct{}

func (noQuorum) Members(node string) []string {
	if node == "cp-1" {
		return []string{node}
	}
	return nil
}

func (noQuorum) Check(context.Context, string, bool, map[string]string, map[string]string) (may bool, message string, err error) {
	return false, "1 of 1 members must stay; set spec.overrideQuorum", nil
}

// testSpace is the space of a store that takes new objects while it has no reason to refuse them.
type testSpace struct{ refusal atomic.Pointer[string] }

func (s *testSpace) CheckSpace() error {
	if refusal := s.refusal.Load(); refusal != nil {
		return errors.New(*refusal)
	}
	return nil
}

// testServer serves the group over HTTP with the generic API server's handlers.
type testServer struct {
	t         *testing.T
	url       string
	admission *recordingAdmission
	space     *testSpace
	nodes     *changingNodes
	rights    *testRights
	fleet     *testFleet
	previewer *testPreviewer
	profiles  *testProfiles
	store     generic.RESTOptionsGetter
}

// testRights are the permissions for nodes that some users lack, as "user verb nodes/subresource".
type testRights struct {
	mu    sync.Mutex
	lacks []string
}

func (r *testRights) take(lacks ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lacks = append(r.lacks, lacks...)
}

func (r *testRights) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := a.GetUser().GetName() + " " + a.GetVerb() + " " + a.GetResource() + "/" + a.GetSubresource()
	if slices.Contains(r.lacks, asked) {
		return authorizer.DecisionNoOpinion, "", nil
	}
	return authorizer.DecisionAllow, "", nil
}

// recordingAdmission remembers what passed it, and refuses what has the word "refused" for its reason.
type recordingAdmission struct {
	*admission.Handler
	mu     sync.Mutex
	passed []string
	// refused is the name of what may not be written.
	refused string
}

func (a *recordingAdmission) setRefused(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = name
}

func (a *recordingAdmission) refuses(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused != "" && a.refused == name
}

// seen returns what was mutated (M) or validated (V) since the last call.
func (a *recordingAdmission) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := a.passed
	a.passed = nil
	return seen
}

func (a *recordingAdmission) note(step string, attributes admission.Attributes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resource := attributes.GetResource().Resource
	if attributes.GetSubresource() != "" {
		resource += "/" + attributes.GetSubresource()
	}
	a.passed = append(a.passed, fmt.Sprintf("%s %s %s %s", step, attributes.GetOperation(), resource, attributes.GetName()))
}

// Admit notes the request.
func (a *recordingAdmission) Admit(_ context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	a.note("M", attributes)
	return nil
}

// Validate notes the request, and may refuse it.
func (a *recordingAdmission) Validate(_ context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	a.note("V", attributes)
	object := attributes.GetObject()
	if object == nil {
		object = attributes.GetOldObject()
	}
	if hold, ok := object.(*v1beta1.NodeMaintenance); ok && (hold.Spec.Reason == "refused" || a.refuses(hold.Name)) {
		return admission.NewForbidden(attributes, errors.New("by policy"))
	}
	return nil
}

func startServer(t *testing.T, changes ...func(*Dependencies)) *testServer {
	t.Helper()
	s := &testServer{
		t: t, nodes: &changingNodes{}, space: &testSpace{}, rights: &testRights{}, fleet: &testFleet{}, previewer: &testPreviewer{}, profiles: &testProfiles{},
		admission: &recordingAdmission{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete)},
	}
	authorizing := authorization.New(s.rights, "ops")
	authorizing.KnowNodes(s.nodes)
	chain := admission.NewChainHandler(authorizing, s.admission)
	deps := Dependencies{
		Waker: noWaker{}, Nodes: s.nodes, Planner: noPlanner{}, Space: s.space, Quorum: noQuorum{}, Fleet: s.fleet, Previewer: s.previewer,
		Admission: chain, AuthorizeUpdate: authorizing.AuthorizeUpdate, AuthorizeRead: authorizing.AuthorizeRead, AuthorizeApproval: authorizing.AuthorizeApproval,
		ProfilePreviewer: s.profiles, Evaluator: s.profiles, AuthorizeDecision: authorizing.AuthorizeDecision,
		SharesRoom: authorizing.SharesRoom,
	}
	for _, change := range changes {
		change(&deps)
	}
	s.store = registrytest.RESTOptionsGetter(t)
	group, err := NewAPIGroupInfo(scheme.Scheme, scheme.Codecs, scheme.ParameterCodec, s.store, deps)
	if err != nil {
		t.Fatal(err)
	}
	config := genericConfig()
	config.AdmissionControl = chain
	serving, err := config.Complete(nil).New("test", genericapiserver.NewEmptyDelegate())
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := NewLegacyGroupInfos(legacyinstall.AllGroupVersions(), group, s.nodes, chain, scheme.Scheme, scheme.Codecs, scheme.ParameterCodec)
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.InstallAPIGroups(append(legacy, &group)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serving.Destroy)
	for _, storage := range group.VersionedResourcesStorageMap["v1beta1"] {
		if cached, ok := storage.(rest.StorageWithReadiness); ok {
			registrytest.WaitUntilReady(t, cached)
		}
	}
	httpServer := httptest.NewServer(serving.Handler)
	t.Cleanup(httpServer.Close)
	s.url = httpServer.URL
	return s
}

func genericConfig() *genericapiserver.Config {
	config := genericapiserver.NewConfig(scheme.Codecs.CodecFactory)
	config.EffectiveVersion = basecompatibility.NewEffectiveVersionFromString("0.1", "0.1", "0.1")
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &restclient.Config{BearerToken: "loopback"}
	namer := openapinamer.NewDefinitionNamer(scheme.Served())
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.Authentication.Authenticator = authenticator.RequestFunc(userFromHeader)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	return config
}

func userFromHeader(request *http.Request) (*authenticator.Response, bool, error) {
	requester := &user.DefaultInfo{Name: request.Header.Get("Test-User"), Groups: []string{user.AllAuthenticated}}
	if requester.Name == server {
		requester.Groups = append(requester.Groups, user.SystemPrivilegedGroup)
	}
	return &authenticator.Response{User: requester}, true, nil
}

// answer is what a request is answered with.
type answer struct {
	code     int
	warnings []string
	body     []byte
}

// do makes a request and reads the whole answer.
func (s *testServer) do(requester, method, path, contentType, body string) answer {
	s.t.Helper()
	response := s.send(requester, method, path, contentType, body)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("could not read the answer to %s %s: %v", method, path, err)
	}
	return answer{code: response.StatusCode, warnings: response.Header.Values("Warning"), body: content}
}

// send makes a request and leaves the answer to be read. A GET is for contentType.
func (s *testServer) send(requester, method, path, contentType, body string) *http.Response {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewBufferString(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Test-User", requester)
	if method == http.MethodGet {
		request.Header.Set("Accept", contentType)
	} else {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatalf("could not %s %s: %v", method, path, err)
	}
	return response
}

// want fails the test unless the request was answered with the code.
func (a answer) want(t *testing.T, code int) answer {
	t.Helper()
	if a.code != code {
		t.Fatalf("got %d, want %d: %s", a.code, code, a.body)
	}
	return a
}

// wantText fails the test unless the body or a warning has the text.
func (a answer) wantText(t *testing.T, text string) answer {
	t.Helper()
	// Quotes are escaped in both.
	all := strings.ReplaceAll(string(a.body)+strings.Join(a.warnings, "\n"), `\"`, `"`)
	if !strings.Contains(all, text) {
		t.Errorf("the answer does not say %q: %s %v", text, a.body, a.warnings)
	}
	return a
}

// decode reads the body as an object of type T.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var object T
	if err := json.Unmarshal(a.body, &object); err != nil {
		t.Fatalf("could not read %s: %v", a.body, err)
	}
	return object
}

// create creates a hold and returns it as it was stored.
func (s *testServer) create(requester, name, node string) v1beta1.NodeMaintenance {
	s.t.Helper()
	body := `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"` + node + `"}}`
	return decode[v1beta1.NodeMaintenance](s.t,
		s.do(requester, http.MethodPost, collection, asJSON, body).want(s.t, http.StatusCreated))
}

func (s *testServer) get(name string) v1beta1.NodeMaintenance {
	s.t.Helper()
	return decode[v1beta1.NodeMaintenance](s.t,
		s.do("alice", http.MethodGet, collection+"/"+name, asJSON, "").want(s.t, http.StatusOK))
}

// put replaces the object at path by the given one.
func (s *testServer) put(requester, path string, nm v1beta1.NodeMaintenance) answer {
	s.t.Helper()
	body, err := json.Marshal(nm)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(requester, http.MethodPut, path, asJSON, string(body))
}
