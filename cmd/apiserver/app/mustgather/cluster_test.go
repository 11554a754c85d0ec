// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// cluster is an API server that answers what a test wants: by path, or, if the request has a field selector, by
// path and selector. Lists that it does not know are empty.
type cluster map[string]http.HandlerFunc

const (
	holdsPath = "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances"
	nodesPath = "/api/v1/nodes"
	podsPath  = "/api/v1/pods?spec.nodeName=worker-1"
	logPath   = "/api/v1/namespaces/maintenance-system/pods/server-1/log"
)

func (c cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Path
	if selector := r.URL.Query().Get("fieldSelector"); selector != "" {
		key += "?" + selector
	}
	answer := c[key]
	if answer == nil {
		answer = defaults[key]
	}
	switch {
	case r.Method != http.MethodGet:
		http.Error(w, "the test refuses a "+r.Method, http.StatusTeapot)
	case answer != nil:
		answer(w, r)
	default:
		says(`{"kind":"List","apiVersion":"v1","items":[]}`)(w, r)
	}
}

var defaults = cluster{
	"/version": says(`{"gitVersion":"v1.36.0","platform":"linux/amd64"}`),
	"/apis":    says(groups("maintenance.medik8s.io/v1beta1", "apps/v1")),
	"/api/v1/namespaces/maintenance-system/services/https:maintenance-apiserver:https/proxy/metrics": says("maintenance_x 1\n"),
	holdsPath: objects("NodeMaintenance", `{"metadata":{"name":"disk","uid":"1"},"spec":{"nodeName":"worker-1"}}`),
	nodesPath: objects("Node", `{"metadata":{"name":"worker-1"}}`, `{"metadata":{"name":"worker-2"}}`),
	"/apis/maintenance.medik8s.io/v1beta1/nodes/worker-1/drainplan": says(
		`{"kind":"DrainPlan","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":"worker-1"}}`),
	"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/worker-1": says(
		`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"worker-1","namespace":"kube-node-lease"}}`),
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func refuses(code int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the test says %s","reason":%q,"code":%d}`, reason, reason, code)
	}
}

// silent answers only when nobody waits any more.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func objects(kind string, items ...string) http.HandlerFunc { return page(kind, "", items...) }

func page(kind, next string, items ...string) http.HandlerFunc {
	return says(fmt.Sprintf(`{"kind":"%sList","apiVersion":"v1","metadata":{"continue":%q},"items":[%s]}`, kind, next, strings.Join(items, ",")))
}

func groups(versions ...string) string {
	type version struct {
		GroupVersion string `json:"groupVersion"`
		Version      string `json:"version"`
	}
	type group struct {
		Name             string    `json:"name"`
		Versions         []version `json:"versions"`
		PreferredVersion version   `json:"preferredVersion"`
	}
	var list struct {
		Groups []group `json:"groups"`
	}
	for _, served := range versions {
		v := version{served, path.Base(served)}
		list.Groups = append(list.Groups, group{path.Dir(served), []version{v}, v})
	}
	encoded, _ := json.Marshal(list)
	return string(encoded)
}

// gathered is what a run left behind.
type gathered struct {
	files   map[string]string
	summary string
	err     error
}

// gather runs the command against the cluster, and unpacks the archive.
func (c cluster) gather(t *testing.T, o options) gathered {
	t.Helper()
	server := httptest.NewServer(c)
	defer server.Close()
	if o.timeout == 0 {
		o.timeout = time.Hour
	}
	return gatherFrom(t, &rest.Config{Host: server.URL}, o)
}

// inProcess is how the cluster is reached without a socket.
func (c cluster) inProcess() *rest.Config {
	return &rest.Config{Host: "http://cluster.example.com", Transport: answers(func(r *http.Request) *http.Response {
		answer := httptest.NewRecorder()
		c.ServeHTTP(answer, r)
		return answer.Result()
	})}
}

func gatherFrom(t *testing.T, config *rest.Config, o options) gathered {
	t.Helper()
	o.namespace, o.output = "maintenance-system", filepath.Join(t.TempDir(), "out.tar.gz")
	t.Setenv(inPodVariable, "")
	var summary bytes.Buffer
	result := gathered{err: o.run(t.Context(), config, io.Discard, &summary), summary: summary.String()}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.output), "*"))
	if result.err != nil {
		if len(left) > 0 {
			t.Errorf("a run that failed left %v", left)
		}
		return result
	}
	if len(left) != 1 {
		t.Fatalf("the run left %v, want one file", left)
	}
	result.files = unpack(t, o.output)
	return result
}

// unpack returns the files of an archive, without the name of its folder.
func unpack(t *testing.T, name string) map[string]string {
	t.Helper()
	files := map[string]string{}
	archive := tar.NewReader(open(t, name))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		folder, file, _ := strings.Cut(header.Name, "/")
		if !strings.HasPrefix(folder, "must-gather-2") || files[file] != "" {
			t.Errorf("the archive has %s, which is twice there, or not in its folder", header.Name)
		}
		files[file] = string(content)
	}
}

func (g gathered) wantIn(t *testing.T, file string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(g.files[file], part) {
			t.Errorf("%s: want %q in:\n%s", file, part, g.files[file])
		}
	}
}

func open(t *testing.T, name string) io.Reader {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return unzipped
}
