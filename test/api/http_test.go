// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	groupVersion = "/apis/maintenance.medik8s.io/v1beta1"
	collection   = groupVersion + "/nodemaintenances"

	asJSON           = "application/json"
	asYAML           = "application/yaml"
	asMergePatch     = "application/merge-patch+json"
	asJSONPatch      = "application/json-patch+json"
	asStrategicPatch = "application/strategic-merge-patch+json"
	asApply          = "application/apply-patch+yaml"
)

// caller sends requests as they are, as somebody, to somewhere.
type caller struct {
	client *http.Client
	base   string
	header http.Header
}

func newCaller(t *testing.T, config *rest.Config) caller {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return caller{client: client, base: config.Host, header: http.Header{}}
}

// admin calls through the aggregator.
func admin(t *testing.T) caller {
	t.Helper()
	return newCaller(t, env.Current(t).Cluster.Config())
}

// user calls through the aggregator too.
func user(t *testing.T, name string, groups ...string) caller {
	t.Helper()
	return newCaller(t, userConfig(t, name, groups...))
}

func userConfig(t *testing.T, name string, groups ...string) *rest.Config {
	t.Helper()
	config, err := env.Current(t).Cluster.UserConfig(name, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// direct turns a configuration to the server's own port. The server is trusted
// as the aggregator trusts it.
func direct(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	e := env.Current(t)
	apiServices := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	object, err := e.Cluster.Dynamic().Resource(apiServices).Get(t.Context(), localcluster.APIServiceName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(object.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	spec := struct{ CABundle []byte }{}
	if err := json.Unmarshal(encoded, &spec); err != nil {
		t.Fatal(err)
	}
	config = rest.CopyConfig(config)
	config.Host = fmt.Sprintf("https://127.0.0.1:%d", e.Server.Port())
	config.CAFile, config.CAData = "", spec.CABundle
	config.ServerName = localcluster.ServerName + "." + localcluster.ServerNamespace + ".svc"
	return config
}

// with returns a caller that sends a header as well; further values of the same
// header are added.
func (c caller) with(header, value string) caller {
	c.header = c.header.Clone()
	c.header.Add(header, value)
	return c
}

// answer is what came back.
type answer struct {
	code     int
	warnings []string
	body     []byte
}

func (c caller) do(t *testing.T, method, path, contentType, body string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = c.header.Clone()
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.client.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	got := answer{code: response.StatusCode, body: content}
	warnings, errs := utilnet.ParseWarningHeaders(response.Header["Warning"])
	if len(errs) > 0 {
		t.Errorf("%s %s: unreadable warnings: %v", method, path, errs)
	}
	for _, warning := range warnings {
		got.warnings = append(got.warnings, warning.Text)
	}
	return got
}

func (c caller) get(t *testing.T, path string) answer {
	t.Helper()
	return c.do(t, http.MethodGet, path, "", "")
}

func (a answer) want(t *testing.T, code int) answer {
	t.Helper()
	if a.code != code {
		t.Fatalf("got %d, want %d: %.2000s", a.code, code, a.body)
	}
	return a
}

// object decodes an answer that is an object of any kind.
func (a answer) object(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(a.body, &object.Object); err != nil {
		t.Fatalf("%v: %.2000s", err, a.body)
	}
	return object
}

func (a answer) status(t *testing.T) metav1.Status {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal(a.body, &status); err != nil || status.Kind != "Status" {
		t.Fatalf("not a Status (%v): %.2000s", err, a.body)
	}
	return status
}

// wantCauses checks which fields a refusal names, in order, and that its message
// names them too.
func (a answer) wantCauses(t *testing.T, fields ...string) {
	t.Helper()
	status := a.status(t)
	var got []string
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			got = append(got, cause.Field)
		}
	}
	if strings.Join(got, " ") != strings.Join(fields, " ") {
		t.Errorf("got causes %q, want %q: %.2000s", got, fields, status.Message)
	}
	wantContains(t, "message", status.Message, fields...)
}
