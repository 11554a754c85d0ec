// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gates tests on a real control plane that gates of policies ask Prometheus.
package gates

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// metrics is a server that speaks Prometheus' query API. The result of a query is empty, unless a test has said that the
// node in it is good.
type metrics struct {
	mu   sync.Mutex
	good map[string]bool
}

var prometheus = &metrics{good: map[string]bool{}}

func TestMain(m *testing.M) {
	server := httptest.NewServer(prometheus)
	options := env.ServerOptions()
	options.ExtraArgs = []string{"--prometheus-url=" + server.URL}
	code := env.MainWith(m, options)
	server.Close()
	os.Exit(code)
}

// ServeHTTP answers the query good{node="NODE"}.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	node := strings.TrimSuffix(strings.TrimPrefix(r.FormValue("query"), `good{node="`), `"}`)
	if r.URL.Path != "/api/v1/query" || node == r.FormValue("query") {
		http.Error(w, `{"status":"error","errorType":"bad_data","error":"no such query"}`, http.StatusBadRequest)
		return
	}
	result := ""
	if m.isGood(node) {
		result = fmt.Sprintf(`{"metric":{"node":%q},"value":[1700000000,"1"]}`, node)
	}
	_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, result)
}

func (m *metrics) isGood(node string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.good[node]
}

// set says whether the node is good.
func (m *metrics) set(node string, good bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.good[node] = good
}
