// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestExternalEtcd has the server keep its data in an etcd of its own process,
// which both ends of each connection must show a certificate to.
func TestExternalEtcd(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 4, pool.Selector()))
	pods := podsOf(t, pool, pool.Nodes[0], "web")
	dir := filepath.Join(t.TempDir(), "data")
	server := replaceServer(t, localcluster.ServerOptions{DataDir: dir, ExtraArgs: startEtcd(t, pool.Cluster)})

	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	drained := pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	for _, name := range []string{markerFile, memberDir} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("looking for %s in the data directory gave %v, want that there is no embedded store", name, err)
		}
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := pool.WaitForHold(t, hold.Name, "the hold is there after the restart", env.Drained)
	if after.UID != drained.UID || after.ResourceVersion != drained.ResourceVersion {
		t.Errorf("the hold went from %s at %s to %s at %s", drained.UID, drained.ResourceVersion, after.UID, after.ResourceVersion)
	}
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
	wantEvictedOnce(t, pool, pods)
}

// startEtcd starts an etcd until the test's end and returns the flags by which our
// server uses it.
func startEtcd(t *testing.T, cluster *localcluster.Cluster) (flags []string) {
	t.Helper()
	dir := t.TempDir()
	authority, err := certs.NewAuthority("etcd-ca")
	if err != nil {
		t.Fatal(err)
	}
	serving, err := authority.Server([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Client("maintenance-apiserver")
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		write(t, file, string(content))
		return file
	}
	ca := path("ca.crt", authority.Cert)
	url, peer := "https://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t)
	etcd, err := process.Start(process.Spec{
		Path:    filepath.Join(cluster.BinDir(), "etcd"),
		LogPath: filepath.Join(cluster.LogDir(), "external-etcd.log"),
		Args: []string{
			"--name=external", "--data-dir=" + filepath.Join(dir, "etcd"), "--log-level=warn",
			"--listen-client-urls=" + url, "--advertise-client-urls=" + url,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=external=" + peer,
			"--client-cert-auth", "--trusted-ca-file=" + ca,
			"--cert-file=" + path("server.crt", serving.Cert), "--key-file=" + path("server.key", serving.Key),
		},
	})
	if err != nil {
		t.Fatalf("could not start etcd: %v", err)
	}
	t.Cleanup(func() {
		if err := etcd.Kill(); err != nil {
			t.Errorf("could not end etcd: %v", err)
		}
	})
	return []string{
		"--etcd-servers=" + url, "--etcd-cafile=" + ca,
		"--etcd-certfile=" + path("client.crt", client.Cert), "--etcd-keyfile=" + path("client.key", client.Key),
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(port)
}
