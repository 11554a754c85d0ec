// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The credentials that the fake OpenStack accepts.
const (
	password = "s3cret"
	token    = "gAAAAtoken"
)

// openStack speaks Keystone v3 and the part of Nova that is used.
type openStack struct {
	*httptest.Server
	t *testing.T

	mu sync.Mutex
	// servers are those that exist, by ID.
	servers map[string]server
	// logins and deletes are how often somebody logged in, and which servers were to be deleted.
	logins  int
	deletes []string
	// fails is the status that Nova answers instead; zero: it works.
	fails int
	// anyName says that it lists all servers, whatever name is asked for.
	anyName bool
	login   map[string]any
}

type server struct {
	Name, Status, TaskState string
}

func newOpenStack(t *testing.T) *openStack {
	t.Helper()
	o := &openStack{t: t, servers: map[string]server{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /identity/v3/auth/tokens", o.authenticate)
	mux.HandleFunc("GET /compute/v2.1/servers/detail", o.authorized(o.list))
	mux.HandleFunc("DELETE /compute/v2.1/servers/{id}", o.authorized(o.remove))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected request: %s %s", r.Method, r.URL)
		http.NotFound(w, r)
	})
	o.Server = httptest.NewServer(mux)
	t.Cleanup(o.Close)
	return o
}

func (o *openStack) authenticate(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.logins++
	var body struct{ Auth map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		o.t.Error(err)
	}
	o.login = body.Auth
	if !strings.Contains(fmt.Sprint(body.Auth), password) {
		http.Error(w, `{"error":{"message":"no, robot/wr0ng"}}`, http.StatusUnauthorized)
		return
	}
	endpoint := func(region, path string) map[string]any {
		return map[string]any{"id": region, "interface": "public", "region": region, "region_id": region, "url": o.URL + path}
	}
	w.Header().Set("X-Subject-Token", token)
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
		"expires_at": "2099-01-01T00:00:00.000000Z",
		"catalog": []any{map[string]any{
			"id": "1", "type": "compute", "name": "nova",
			"endpoints": []any{endpoint("elsewhere", "/elsewhere/"), endpoint("eu-de-1", "/compute/v2.1/")},
		}},
	}})
}

func (o *openStack) authorized(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case r.Header.Get("X-Auth-Token") != token:
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case o.fails != 0:
			http.Error(w, "something secret", o.fails)
		default:
			handle(w, r)
		}
	}
}

// list lists the servers whose names the pattern matches somewhere, as Nova does.
func (o *openStack) list(w http.ResponseWriter, r *http.Request) {
	pattern := regexp.MustCompile(r.FormValue("name"))
	found := []any{}
	for id, s := range o.servers {
		if o.anyName || pattern.MatchString(s.Name) {
			found = append(found, map[string]any{"id": id, "name": s.Name, "status": s.Status, "OS-EXT-STS:task_state": s.TaskState})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"servers": found})
}

func (o *openStack) remove(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s := o.servers[id]
	s.TaskState = "deleting"
	o.servers[id] = s
	o.deletes = append(o.deletes, id)
	w.WriteHeader(http.StatusNoContent)
}

func (o *openStack) wantDeleted(want ...string) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.deletes, want) {
		o.t.Errorf("deleted %v, want %v", o.deletes, want)
	}
}

// conf is a cloudprovider.conf for it, with a password.
func (o *openStack) conf(password string) string {
	return fmt.Sprintf("[Global]\nauth-url = %q\nusername = robot\npassword = %q\ndomain-name = kubernikus\ntenant-id = 0123abcd\nregion = eu-de-1\n[LoadBalancer]\nlb-version = v2\n",
		o.URL+"/identity/v3", password)
}

func writeConf(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloudprovider.conf")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDeleteServer(t *testing.T) {
	tests := map[string]struct {
		servers     map[string]server
		anyName     bool
		wantDeleted []string
		wantError   string
	}{
		"one":                    {servers: map[string]server{"1": {Name: "node.1"}}, wantDeleted: []string{"1"}},
		"none":                   {},
		"names that are longer":  {servers: map[string]server{"1": {Name: "node.10"}, "2": {Name: "my-node.1"}, "3": {Name: "node-1"}}},
		"one of similar names":   {servers: map[string]server{"1": {Name: "node.10"}, "2": {Name: "node.1"}}, wantDeleted: []string{"2"}},
		"names that are ignored": {servers: map[string]server{"1": {Name: "node.10"}, "2": {Name: "node.1"}}, anyName: true, wantDeleted: []string{"2"}},
		"two":                    {servers: map[string]server{"1": {Name: "node.1"}, "2": {Name: "node.1"}}, wantError: "OpenStack has 2 servers with the name node.1"},
		"being deleted":          {servers: map[string]server{"1": {Name: "node.1", TaskState: "deleting"}}},
		"deleted, and a new one": {servers: map[string]server{"1": {Name: "node.1", Status: "DELETED"}, "2": {Name: "node.1"}}, wantDeleted: []string{"2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := newOpenStack(t)
			o.servers, o.anyName = test.servers, test.anyName
			settings := Settings{CloudConfig: writeConf(t, o.conf(password))}
			cloud, err := settings.logIn(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer cloud.close()
			deleted, err := cloud.deleteServer(t.Context(), "node.1")
			if deleted != (len(test.wantDeleted) > 0) || (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("got %t, %v; want %v, %q", deleted, err, test.wantDeleted, test.wantError)
			}
			o.wantDeleted(test.wantDeleted...)
		})
	}
}

func TestLogin(t *testing.T) {
	o := newOpenStack(t)
	tests := map[string]struct {
		conf, want string
	}{
		"a user of a domain":        {conf: o.conf(password), want: `{"identity":{"methods":["password"],"password":{"user":{"domain":{"name":"kubernikus"},"name":"robot","password":"s3cret"}}},"scope":{"project":{"id":"0123abcd"}}}`},
		"an application credential": {conf: "[Global]\nauth-url=" + o.URL + "/identity\nregion=eu-de-1\napplication-credential-id=7\napplication-credential-secret=" + password, want: `{"identity":{"application_credential":{"id":"7","secret":"s3cret"},"methods":["application_credential"]}}`},
		"a credential by name":      {conf: "[Global]\nauth-url=" + o.URL + "/identity\nregion=eu-de-1\napplication-credential-name=ours\napplication-credential-secret=" + password + "\nuser-id=9\ndomain-id=default", want: `{"identity":{"application_credential":{"name":"ours","secret":"s3cret","user":{"id":"9"}},"methods":["application_credential"]}}`},
		"a project by name":         {conf: "[Global]\nauth-url=" + o.URL + "/identity/v3/\nregion=eu-de-1\nuser-id=9\npassword=" + password + "\ntenant-name=mine\ndomain-id=default", want: `{"identity":{"methods":["password"],"password":{"user":{"id":"9","password":"s3cret"}}},"scope":{"project":{"domain":{"id":"default"},"name":"mine"}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			settings := Settings{CloudConfig: writeConf(t, test.conf)}
			cloud, err := settings.logIn(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			cloud.close()
			if got, _ := json.Marshal(o.login); string(got) != test.want {
				t.Errorf("got login %s, want %s", got, test.want)
			}
		})
	}
}

func TestErrorsHaveNoSecrets(t *testing.T) {
	tests := map[string]struct {
		conf  func(o *openStack) string
		fails int
		want  string
	}{
		"wrong password": {conf: func(o *openStack) string { return o.conf("wr0ng") }, want: "could not log in at OpenStack: the credentials were not accepted"},
		"no server":      {conf: func(o *openStack) string { o.Close(); return o.conf("wr0ng") }, want: "could not log in at OpenStack: dial tcp"},
		"Nova fails":     {conf: func(o *openStack) string { return o.conf(password) }, fails: 500, want: "could not list the servers in OpenStack: the answer was 500 Internal Server Error"},
		"no such region": {conf: func(o *openStack) string { return strings.Replace(o.conf(password), "eu-de-1", "mars", 1) }, want: `in region "mars"`},
		"no address":     {conf: func(*openStack) string { return "[Global]\npassword=wr0ng" }, want: "has no auth-url"},
		"no user":        {conf: func(*openStack) string { return "[Global]\nauth-url=http://x\npassword=wr0ng" }, want: "neither username and password nor"},
		"another format": {conf: func(*openStack) string { return "{wr0ng" }, want: "not in the format"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := newOpenStack(t)
			settings := Settings{CloudConfig: writeConf(t, test.conf(o))}
			o.fails = test.fails
			cloud, err := settings.logIn(t.Context(), nil)
			if err == nil {
				defer cloud.close()
				_, err = cloud.deleteServer(t.Context(), "node-1")
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			for _, secret := range []string{"wr0ng", password, token, "robot", "secret"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has %q: %v", secret, err)
				}
			}
		})
	}
}
