// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

const prefix = "/registry/test"

// testConfig is the configuration of an embedded store, which has time to start on a busy machine.
func testConfig(t *testing.T, quotaBytes int64) Config {
	t.Helper()
	return Config{
		Type: Embedded, Backend: &storagebackend.Config{Prefix: prefix}, ReachTimeout: 10 * time.Minute,
		Embedded: embeddedetcd.Config{Dir: filepath.Join(t.TempDir(), "data"), QuotaBytes: quotaBytes, StartTimeout: 10 * time.Minute},
	}
}

func TestEmbeddedStoreKeepsItsID(t *testing.T) {
	config := testConfig(t, 64<<20)
	open := func() string {
		config.Backend.Transport.ServerList = nil
		st, err := Open(t.Context(), config)
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		defer st.Close()
		if servers := config.Backend.Transport.ServerList; len(servers) != 1 || !strings.HasPrefix(servers[0], "unix://") {
			t.Errorf("the registry is sent to %v, want the embedded store's socket", servers)
		}
		return st.ID
	}
	first, second := open(), open()
	if first == "" || first != second {
		t.Errorf("store IDs before and after a restart are %q and %q, want one", first, second)
	}
}

// The sockets are real, and only the time is not.
func TestUnreachableEtcd(t *testing.T) {
	stranger := startStranger(t)
	for name, tc := range map[string]struct {
		backend storagebackend.TransportConfig
		want    string
		at      time.Duration
	}{
		"nobody listens":       {backend: storagebackend.TransportConfig{ServerList: []string{"http://127.0.0.1:1"}}, want: "connection refused", at: reachTimeout},
		"missing certificates": {backend: storagebackend.TransportConfig{ServerList: []string{"https://127.0.0.1:1"}, TrustedCAFile: "missing"}, want: "no such file"},
		"not trusted":          {backend: storagebackend.TransportConfig{ServerList: []string{stranger}}, want: "unknown authority", at: reachTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				backend := tc.backend
				began := time.Now()
				_, err := Open(t.Context(), Config{Type: Etcd, Backend: &storagebackend.Config{Transport: backend, Prefix: prefix}})
				if err == nil || !strings.Contains(err.Error(), "could not reach etcd at "+backend.ServerList[0]) || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("Open = %v, want an error that names etcd and says %q", err, tc.want)
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is more than a line: %v", err)
				}
				if took := time.Since(began); took != tc.at {
					t.Errorf("it took %s, want %s", took, tc.at)
				}
			})
		})
	}
}

// Who accepts connections and never says a word is given up in time.
func TestSilentEtcd(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{0: 7 * time.Second, time.Minute: time.Minute} {
		t.Run(want.String(), func(t *testing.T) {
			backend := storagebackend.TransportConfig{ServerList: []string{silent(t)}}
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := reach(t.Context(), &backend, timeout, func(ctx context.Context, _ clientv3.Config) error {
					<-ctx.Done()
					return ctx.Err()
				})
				if err == nil || err.Error() != "no answer within "+want.String() {
					t.Errorf("reach = %v, want that there was no answer within %s", err, want)
				}
				if took := time.Since(began); took != want {
					t.Errorf("it took %s, want %s", took, want)
				}
			})
		})
	}
}

// So it is with the real client.
func TestOpenSilentEtcd(t *testing.T) {
	backend := storagebackend.Config{Transport: storagebackend.TransportConfig{ServerList: []string{silent(t)}}, Prefix: prefix}
	_, err := Open(t.Context(), Config{Type: Etcd, Backend: &backend, ReachTimeout: 2 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "no answer within 2s") {
		t.Errorf("Open = %v, want that there was no answer within 2s", err)
	}
}

// What knocking finds is told, also if it takes as long as there is time, which it may on a busy machine.
func TestKnock(t *testing.T) {
	refused := errors.New("refused")
	tests := map[string]struct {
		patience time.Duration // of who knocks
		takes    time.Duration // to connect
		found    error
		late     error // of a connection that is not there when the time is up
		want     error
		wantAsk  bool
	}{
		"an answer in time":       {patience: knockAfter - 1, found: refused},
		"a reason":                {patience: time.Minute, found: refused, want: refused, wantAsk: true},
		"no reason":               {patience: time.Minute, wantAsk: true},
		"a reason after long":     {patience: time.Minute, takes: 58 * time.Second, found: refused, want: refused, wantAsk: true},
		"a reason at the end":     {patience: time.Minute, takes: time.Hour, late: refused, want: refused, wantAsk: true},
		"time is up":              {patience: time.Minute, takes: time.Hour, late: context.DeadlineExceeded, wantAsk: true},
		"time is up for a socket": {patience: time.Minute, takes: time.Hour, late: os.ErrDeadlineExceeded, wantAsk: true},
		"nobody waits any more":   {patience: time.Minute, takes: time.Hour, late: context.Canceled, wantAsk: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.patience)
				defer cancel()
				asked := false
				err := knock(ctx, func(ctx context.Context) error {
					asked = true
					select {
					case <-time.After(test.takes):
						return test.found
					case <-ctx.Done():
						return test.late
					}
				})
				if !errors.Is(err, test.want) || asked != test.wantAsk {
					t.Errorf("knock = %v, and connected: %t; want %v, %t", err, asked, test.want, test.wantAsk)
				}
			})
		})
	}
}

// startStranger starts a server with a certificate that nobody trusts, and returns its URL.
func startStranger(t *testing.T) string {
	t.Helper()
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	return stranger.URL
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
