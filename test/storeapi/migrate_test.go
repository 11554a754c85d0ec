// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"bytes"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/migratestore"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const quota = 64 << 20

// A node that was drained by a server with an embedded store stays drained while everything moves through all three stores,
// in each direction, and is given back by a server that stores in the cluster.
func TestMigrate(t *testing.T) {
	cluster, inCluster := env.Current(t).Cluster, env.Current(t).Server
	terminate(t, inCluster)
	emptyCluster(t)
	dir := t.TempDir()
	embedded := embeddedIn(filepath.Join(dir, "first"))
	server, err := cluster.StartServer(t.Context(), localcluster.ServerOptions{
		Binary: env.ServerOptions().Binary, Store: localcluster.StoreEmbedded, DataDir: embedded.Embedded.Dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	pool := env.Current(t).NewPool(t, 1)
	pool.Run(t, cluster.Workload(pool.Name).Deployment("web", 2, pool.Selector()))
	node := pool.Nodes[0]
	name := pool.Create(t, pool.Hold("a", node)).Name
	for _, suffix := range []string{"b", "c"} {
		settled(t, pool, pool.Create(t, pool.Hold(suffix, pool.Name+"-absent")).Name)
	}
	drained := pool.WaitForHold(t, name, "node drained", env.Drained)
	marks := pool.Node(t, node).Annotations

	wantMigration(t, embedded, inTheCluster, false, "a server answers for maintenance.medik8s.io/v1beta1")
	terminate(t, server)
	wantMigration(t, embedded, inTheCluster, true, "Nothing was written")
	wantInterrupted(t, embedded)
	wantNoStart(t, inCluster)
	wantMigration(t, embedded, inTheCluster, true, "An interrupted copy of this source is continued")
	wantMigration(t, embedded, inTheCluster, false, "Done: the target has the ID and 3 objects")
	wantMigration(t, embedded, inTheCluster, false, "Nothing was to be done")
	moveAround(t, dir)

	if err := inCluster.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := pool.WaitForHold(t, name, "the hold is there, and drained", env.Drained)
	if after.UID != drained.UID {
		t.Errorf("the hold has UID %s, want %s as before", after.UID, drained.UID)
	}
	if diff := cmp.Diff(marks, pool.Node(t, node).Annotations); diff != "" {
		t.Errorf("annotations of the node (-before +after):\n%s", diff)
	}
	wantMigration(t, inTheCluster, embedded, false, "a server answers for maintenance.medik8s.io/v1beta1")
	pool.Delete(t, name)
	if pool.Node(t, node).Spec.Unschedulable {
		t.Errorf("node %s is not given back", node)
	}
}

// moveAround moves what is in the cluster through the other stores, in each direction that TestMigrate has not, and back.
func moveAround(t *testing.T, dir string) {
	t.Helper()
	first, second := etcdIn(t, filepath.Join(dir, "etcd-1")), etcdIn(t, filepath.Join(dir, "etcd-2"))
	embedded, last := embeddedIn(filepath.Join(dir, "second")), embeddedIn(filepath.Join(dir, "third"))
	before := allEnvelopes(t)
	for _, way := range [][2]migratestore.StoreOptions{
		{inTheCluster, first}, {first, embedded}, {embedded, second}, {inTheCluster, last},
	} {
		wantMigration(t, way[0], way[1], false, "Done: the target has the ID and 3 objects")
	}
	emptyCluster(t)
	wantMigration(t, second, inTheCluster, false, "Done: the target has the ID and 3 objects")
	if diff := cmp.Diff(before, allEnvelopes(t)); diff != "" {
		t.Errorf("what is stored in the cluster (-before +after all moves):\n%s", diff)
	}
}

var inTheCluster = migratestore.StoreOptions{Type: store.Cluster}

func embeddedIn(dir string) migratestore.StoreOptions {
	o := migratestore.NewOptions().From
	o.Type, o.Embedded = store.Embedded, embeddedetcd.Config{Dir: dir, QuotaBytes: quota}
	return o
}

// etcdIn starts an etcd until the test's end.
func etcdIn(t *testing.T, dir string) migratestore.StoreOptions {
	t.Helper()
	server, err := embeddedetcd.Start(t.Context(), embeddedetcd.Config{Dir: dir, QuotaBytes: quota})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	o := migratestore.NewOptions().From
	o.Type, o.Etcd.ServerList = store.Etcd, []string{server.Endpoint()}
	return o
}

// serverConfig acts as the server.
func serverConfig(t *testing.T) *rest.Config {
	t.Helper()
	config := rest.CopyConfig(env.Current(t).Cluster.Config())
	config.UserAgent = "maintenance-apiserver/test"
	config.Impersonate.UserName = serverUser
	return config
}

func migrate(t *testing.T, config *rest.Config, from, to migratestore.StoreOptions, dryRun bool) (string, error) {
	t.Helper()
	o := migratestore.NewOptions()
	o.From, o.To, o.DryRun = from, to, dryRun
	var out bytes.Buffer
	err := migratestore.Migrate(t.Context(), config, o, &out)
	return out.String(), err
}

// wantMigration wants a text in the output, or in the error.
func wantMigration(t *testing.T, from, to migratestore.StoreOptions, dryRun bool, want string) {
	t.Helper()
	out, err := migrate(t, serverConfig(t), from, to, dryRun)
	if err != nil {
		out += err.Error()
	}
	if !strings.Contains(out, want) {
		t.Fatalf("from %s to %s, dry run %v, gave\n%s\nwant %q", from.Type, to.Type, dryRun, out, want)
	}
	t.Logf("from %s to %s, dry run %v:\n%s", from.Type, to.Type, dryRun, out)
}

// wantInterrupted copies only the mark and one object into the cluster.
func wantInterrupted(t *testing.T, from migratestore.StoreOptions) {
	t.Helper()
	var creates atomic.Int32
	config := serverConfig(t)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && strings.Contains(r.URL.Path, clusterstore.GroupVersion.Group) && creates.Add(1) > 2 {
				return nil, errors.New("the connection is cut")
			}
			return next.RoundTrip(r)
		})
	})
	_, err := migrate(t, config, from, inTheCluster, false)
	if want := "1 of 3 objects are done"; err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %q", err, want)
	}
	if there := len(allEnvelopes(t)); there != 1 {
		t.Errorf("the cluster has %d objects, want 1", there)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// wantNoStart wants that a server does not start on an incomplete copy.
func wantNoStart(t *testing.T, server *localcluster.Server) {
	t.Helper()
	if err := server.Launch(t.Context()); err != nil {
		t.Fatal(err)
	}
	exit, err := server.Wait(t.Context())
	if err != nil || exit.Code != 1 {
		t.Errorf("a server on an incomplete copy ended with code %d, %v, want 1", exit.Code, err)
	}
}

func terminate(t *testing.T, server *localcluster.Server) {
	t.Helper()
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// emptyCluster removes everything that is stored in the cluster.
func emptyCluster(t *testing.T) {
	t.Helper()
	kubectl := env.Current(t).Kubectl()
	kubectl.Must(t, "", "delete", "--all", "stores.store.maintenance.medik8s.io,"+resource, "--as="+serverUser, "--as-group=system:masters")
}

// allEnvelopes returns what is stored of each object, by its name.
func allEnvelopes(t *testing.T) map[string]string {
	t.Helper()
	list, err := envelopes(t).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i := range list.Items {
		e, err := clusterstore.Decode(&list.Items[i])
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name] = string(e.Data) + e.Fields["nodeName"]
	}
	return all
}
