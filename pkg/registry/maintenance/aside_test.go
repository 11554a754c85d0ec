// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// rawStore is the etcd of a test server, past the server.
type rawStore struct {
	t      *testing.T
	client *clientv3.Client
	prefix string
}

func (s *testServer) rawStore(plural string) rawStore {
	s.t.Helper()
	options, err := s.store.GetRESTOptions(v1beta1.Resource(plural), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: options.StorageConfig.Transport.ServerList})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = client.Close() }) // nothing is pending on it
	return rawStore{s.t, client, options.StorageConfig.Prefix + "/" + options.ResourcePrefix + "/"}
}

func (r rawStore) put(name, data string) {
	r.t.Helper()
	if _, err := r.client.Put(r.t.Context(), r.prefix+name, data); err != nil {
		r.t.Fatal(err)
	}
}

func (r rawStore) get(name string) string {
	r.t.Helper()
	found, err := r.client.Get(r.t.Context(), r.prefix+name)
	if err != nil || len(found.Kvs) != 1 {
		r.t.Fatalf("found %v, error %v", found, err)
	}
	return string(found.Kvs[0].Value)
}

// awaitNames waits until a list has these objects. One with a ! in front cannot be read.
func (s *testServer) awaitNames(path string, want ...string) {
	s.t.Helper()
	var got []string
	err := wait.PollUntilContextTimeout(s.t.Context(), 5*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		list := decode[metav1.PartialObjectMetadataList](s.t, s.do("alice", http.MethodGet, path, asJSON, "").want(s.t, http.StatusOK))
		got = nil
		for i := range list.Items {
			name := list.Items[i].Name
			if v1beta1.WhyUnreadable(&list.Items[i]) != "" {
				name = "!" + name
			}
			got = append(got, name)
		}
		slices.Sort(got)
		return slices.Equal(got, want), nil
	})
	if err != nil {
		s.t.Fatalf("listed are %q, want %q", got, want)
	}
}

// One object that cannot be read keeps nobody from the others, of whatever kind it is. It is told by name, nobody can write
// it, and who may delete what cannot be read deletes it.
func TestUnreadable(t *testing.T) {
	s := startServer(t)
	for _, definition := range definitions(scheme.Scheme, Dependencies{}, nil) {
		t.Run(definition.Plural, func(t *testing.T) {
			s := *s
			s.t = t
			kind := strings.TrimPrefix(fmt.Sprintf("%T", definition.New()), "*v1beta1.")
			path, raw := "/apis/maintenance.medik8s.io/v1beta1/"+definition.Plural, s.rawStore(definition.Plural)
			good := func(name string) string {
				return fmt.Sprintf(`{"kind":%q,"apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":%q,"uid":"u"}}`, kind, name)
			}
			raw.put("n.good", good("n.good"))
			raw.put("n.bad", "\x00 garbage")
			s.awaitNames(path, "!n.bad", "n.good")

			listed := s.do("alice", http.MethodGet, path, asTable, "").want(t, http.StatusOK)
			listed.wantText(t, "stored "+definition.Plural+" that cannot be read, for which nothing is done: n.bad (what is stored is not the JSON of a "+kind)
			s.do("alice", http.MethodGet, path+"/n.good", asJSON, "").want(t, http.StatusOK)
			s.do("alice", http.MethodGet, path+"/n.bad", asJSON, "").want(t, http.StatusInternalServerError).
				wantText(t, `"reason":"StorageReadError"`).wantText(t, `"n.bad" is stored, but cannot be read: what is stored is not the JSON`)
			s.wantWatched(path, "n.bad")
			s.refuseWrites(path, kind, good("n.bad"))
			if data := raw.get("n.bad"); data != "\x00 garbage" {
				t.Errorf("stored is %q, want what was stored before", data)
			}

			s.rights.take("bob unsafe-delete-ignore-read-errors " + definition.Plural + "/")
			s.do("bob", http.MethodDelete, path+"/n.bad", asJSON, "").want(t, http.StatusForbidden).wantText(t, "it cannot be read, and user")
			s.do(server, http.MethodDelete, path+"/n.bad", asJSON, "").want(t, http.StatusForbidden).wantText(t, "the server itself deletes nothing")
			s.do("alice", http.MethodDelete, path+"/n.bad", asJSON, "").want(t, http.StatusOK)
			s.awaitNames(path, "n.good")

			raw.put("n.good", "")
			s.awaitNames(path, "!n.good")
			raw.put("n.good", good("n.good"))
			s.awaitNames(path, "n.good")
			raw.put("n.bad", "{") // for the other groups
			s.awaitNames(path, "!n.bad", "n.good")
		})
	}
	for _, path := range []string{
		"/apis/maintenance.medik8s.io/v1beta1/nodes",
		"/apis/nodemaintenance.medik8s.io/v1beta1/nodemaintenances",
		"/apis/nodemaintenance.kubevirt.io/v1beta1/nodemaintenances",
		"/apis/machinemaintenance.managed.openshift.io/v1alpha1/machinemaintenances",
	} {
		s.do("alice", http.MethodGet, path, asTable, "").want(t, http.StatusOK)
	}
}

// wantWatched wants a watch from the beginning to tell of the object.
func (s *testServer) wantWatched(path, name string) {
	s.t.Helper()
	response := s.send("alice", http.MethodGet, path+"?watch=true&resourceVersion=0&timeoutSeconds=20", asJSON, "")
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		var event struct{ Object metav1.PartialObjectMetadata }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			s.t.Fatal(err)
		}
		if event.Object.Name == name && v1beta1.WhyUnreadable(&event.Object) != "" {
			return
		}
	}
	s.t.Errorf("no event about %s", name)
}

// refuseWrites tries every write of the object that cannot be read, and to store its mark.
func (s *testServer) refuseWrites(path, kind, object string) {
	s.t.Helper()
	version := func(body string) string { return strings.Replace(body, `"uid":"u"`, `"resourceVersion":"1"`, 1) }
	for _, write := range []struct{ method, path, contentType, body string }{
		{http.MethodPut, path + "/n.bad", asJSON, version(object)},
		{http.MethodPatch, path + "/n.bad", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`},
		{http.MethodPatch, path + "/n.bad?fieldManager=t&force=true", asApply, strings.Replace(object, `,"uid":"u"`, `,"labels":{"a":"b"}`, 1)},
		{http.MethodPatch, path + "/n.bad/status", asMergePatch, `{"status":{"observedGeneration":1}}`},
	} {
		answer := s.do(server, write.method, write.path, write.contentType, write.body)
		served := answer.code != http.StatusNotFound && answer.code != http.StatusMethodNotAllowed // not all have a status
		if served && !strings.Contains(string(answer.body), "is stored, but cannot be read") {
			s.t.Errorf("%s %s was answered with %d: %s", write.method, write.path, answer.code, answer.body)
		}
	}
	s.do(server, http.MethodPatch, path+"/n.good", asMergePatch, `{"metadata":{"annotations":{"maintenance.medik8s.io/unreadable":"x"}}}`).
		want(s.t, http.StatusUnprocessableEntity).wantText(s.t, "only the server sets it, on an object that it cannot read")
}
