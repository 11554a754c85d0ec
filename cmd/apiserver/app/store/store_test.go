// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

const prefix = "/registry/test"

func TestEmbeddedStoreKeepsItsID(t *testing.T) {
	embedded := embeddedetcd.Config{Dir: filepath.Join(t.TempDir(), "data"), QuotaBytes: 64 << 20}
	open := func() string {
		backend := storagebackend.Config{Prefix: prefix}
		st, err := Open(t.Context(), Config{Type: Embedded, Backend: &backend, Embedded: embedded})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		defer st.Close()
		if servers := backend.Transport.ServerList; len(servers) != 1 || !strings.HasPrefix(servers[0], "unix://") {
			t.Errorf("the registry is sent to %v, want the embedded store's socket", servers)
		}
		return st.ID
	}
	first, second := open(), open()
	if first == "" || first != second {
		t.Errorf("store IDs before and after a restart are %q and %q, want one", first, second)
	}
}

func TestUnreachableEtcd(t *testing.T) {
	// As slow as a busy machine is to shake hands.
	stranger, slow := startStranger(t, 0), startStranger(t, 2*time.Second)
	for name, tc := range map[string]struct {
		backend storagebackend.TransportConfig
		want    string
	}{
		"nobody listens":       {backend: storagebackend.TransportConfig{ServerList: []string{"http://127.0.0.1:1"}}, want: "connection refused"},
		"missing certificates": {backend: storagebackend.TransportConfig{ServerList: []string{"https://127.0.0.1:1"}, TrustedCAFile: "missing"}, want: "no such file"},
		"not trusted":          {backend: storagebackend.TransportConfig{ServerList: []string{stranger}}, want: "unknown authority"},
		"not trusted, slow":    {backend: storagebackend.TransportConfig{ServerList: []string{slow}}, want: "unknown authority"},
		"silent":               {backend: storagebackend.TransportConfig{ServerList: []string{silent(t)}}, want: "no answer within 7s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backend := tc.backend
			began := time.Now()
			_, err := Open(t.Context(), Config{Type: Etcd, Backend: &storagebackend.Config{Transport: backend, Prefix: prefix}})
			if err == nil || !strings.Contains(err.Error(), "could not reach etcd at "+backend.ServerList[0]) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Open = %v, want an error that names etcd and says %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is more than a line: %v", err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s, want 10 s at most", took)
			}
		})
	}
}

// startStranger starts a server with a certificate that nobody trusts, which is silent
// for a while on each connection, and returns its URL.
func startStranger(t *testing.T, silence time.Duration) string {
	t.Helper()
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.Listener = slowListener{Listener: stranger.Listener, silence: silence}
	stranger.StartTLS()
	t.Cleanup(stranger.Close) // after the parallel subtests
	return stranger.URL
}

// slowListener is silent for a while on each connection.
type slowListener struct {
	net.Listener
	silence time.Duration
}

func (l slowListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	return slowConn{Conn: connection, until: time.Now().Add(l.silence)}, err
}

type slowConn struct {
	net.Conn
	until time.Time
}

func (c slowConn) Read(b []byte) (int, error) {
	<-time.After(time.Until(c.until))
	return c.Conn.Read(b)
}

// silent returns the URL of somebody who accepts connections and never says a word.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String()
}
