// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Where things are in the store. Every version looks for them there.
const (
	idKey = "/registry/maintenance.medik8s.io/store-id"
	holds = "/registry/maintenance.medik8s.io/maintenance.medik8s.io/nodemaintenances/"
)

// store is an etcd of one test, in which another version of the server can have stored anything.
type store struct {
	url    string
	client *clientv3.Client
}

// newStore starts an etcd that ends with the test.
func newStore(t *testing.T) *store {
	t.Helper()
	cluster := env.Current(t).Cluster
	url, peer := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t)
	etcd, err := process.Start(process.Spec{
		Path:    filepath.Join(cluster.BinDir(), "etcd"),
		LogPath: filepath.Join(cluster.LogDir(), "etcd-"+t.Name()+".log"),
		Args: []string{
			"--name=versions", "--data-dir=" + filepath.Join(t.TempDir(), "etcd"), "--log-level=warn",
			"--listen-client-urls=" + url, "--advertise-client-urls=" + url,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=versions=" + peer,
		},
	})
	if err != nil {
		t.Fatalf("could not start etcd: %v", err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}})
	if err != nil {
		t.Fatalf("could not create a client for etcd: %v", err)
	}
	t.Cleanup(func() {
		_ = client.Close() // nothing is pending on it
		if err := etcd.Kill(); err != nil {
			t.Errorf("could not end etcd: %v", err)
		}
	})
	env.Eventually(t, "etcd answers", func(ctx context.Context) string {
		if _, err := client.Get(ctx, idKey); err != nil {
			return err.Error()
		}
		return ""
	})
	return &store{url: url, client: client}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(port)
}

// get returns what is stored of a hold; nil when there is nothing.
func (s *store) get(t *testing.T, name string) map[string]any {
	t.Helper()
	found, err := s.client.Get(t.Context(), holds+name)
	if err != nil {
		t.Fatalf("could not read hold %s from etcd: %v", name, err)
	}
	if len(found.Kvs) == 0 {
		return nil
	}
	return parse(t, found.Kvs[0].Value)
}

// put stores a hold.
func (s *store) put(t *testing.T, name string, object map[string]any) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	s.putValue(t, holds+name, string(data))
}

func (s *store) putValue(t *testing.T, key, value string) {
	t.Helper()
	if _, err := s.client.Put(t.Context(), key, value); err != nil {
		t.Fatalf("could not write %s into etcd: %v", key, err)
	}
}

// change changes a stored hold.
func (s *store) change(t *testing.T, name string, change func(object map[string]any)) {
	t.Helper()
	object := s.get(t, name)
	if object == nil {
		t.Fatalf("hold %s is not in etcd below %s", name, holds)
	}
	change(object)
	s.put(t, name, object)
}

// parse keeps numbers as they are written.
func parse(t *testing.T, data []byte) (object map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		t.Fatalf("could not parse %s: %v", data, err)
	}
	return object
}

// in returns the object at the path in another one; nil when there is none.
func in(object map[string]any, path ...string) map[string]any {
	for _, name := range path {
		object, _ = object[name].(map[string]any)
	}
	return object
}
