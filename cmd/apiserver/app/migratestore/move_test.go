// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	prefix = "/registry/test"
	quota  = 64 << 20
	id     = "the-id"
	// patience is how long an etcd may take on a busy machine.
	patience = 10 * time.Minute
)

func TestMain(m *testing.M) {
	store.QuietGRPC()
	os.Exit(m.Run())
}

// newPlaces make an empty store of each type.
var newPlaces = map[store.Type]func(*testing.T) target{
	store.Embedded: func(t *testing.T) target {
		t.Helper()
		return opened(t, embedded(t))
	},
	store.Etcd: func(t *testing.T) target {
		t.Helper()
		return opened(t, StoreOptions{Type: store.Etcd, Etcd: startEtcd(t), ReachTimeout: patience, Prefix: prefix})
	},
	store.Cluster: func(*testing.T) target {
		lists := map[schema.GroupVersionResource]string{clusterstore.StoreKind.GVR(): "StoreList"}
		for _, resource := range clusterstore.Resources() {
			kind, _ := clusterstore.KindOf(resource) // it is one of them
			lists[kind.GVR()] = kind.Name + "List"
		}
		return &clusterPlace{host: "fake", client: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)}
	},
}

// embedded is where an embedded store can be.
func embedded(t *testing.T) StoreOptions {
	t.Helper()
	config := embeddedetcd.Config{Dir: filepath.Join(t.TempDir(), "data"), QuotaBytes: quota, StartTimeout: patience}
	return StoreOptions{Type: store.Embedded, Embedded: config, ReachTimeout: patience, Prefix: prefix}
}

func opened(t *testing.T, o StoreOptions) target {
	t.Helper()
	place, err := o.open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(place.close)
	return place
}

// startEtcd starts an etcd until the test's end.
func startEtcd(t *testing.T) storagebackend.TransportConfig {
	t.Helper()
	server, err := embeddedetcd.Start(t.Context(), embedded(t).Embedded)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return storagebackend.TransportConfig{ServerList: []string{server.Endpoint()}}
}

// stored is what a store has of a hold: also a field that this version does not know, in an order that its codec would
// not write.
func stored(i int) string {
	return fmt.Sprintf(`{"unknown":{"z":1,"a":2.50},"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1",`+
		`"metadata":{"name":"hold-%d","labels":{"team":"x"}},"spec":{"nodeName":"node-%[1]d"}}`+"\n", i)
}

// fill writes a complete store: so many holds, and an object of each other resource.
func fill(t *testing.T, place target, count int) contents {
	t.Helper()
	data := map[string]string{}
	for i := range count {
		data[fmt.Sprintf("hold-%d", i)] = stored(i)
	}
	c := contents{id: id, objects: holds(data)}
	for _, resource := range []string{"maintenancepolicies", "maintenanceledgers", "maintenanceprofiles", "maintenanceendpoints", "nodeprofiles", "scheduledevents"} {
		c.objects[key{resource: v1beta1.Resource(resource), name: "other"}] = []byte(`{"new":1.50,"metadata":{"name":"other"}}`)
	}
	if err := place.begin(t.Context(), c.id); err != nil {
		t.Fatal(err)
	}
	for k, data := range c.objects {
		if err := place.write(t.Context(), k, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := place.finish(t.Context(), c.id); err != nil {
		t.Fatal(err)
	}
	return c
}

var errKilled = errors.New("killed")

// mortal is a target that takes only some writes.
type mortal struct {
	target
	left int
}

func (m *mortal) lives() error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return nil
}

func (m *mortal) begin(ctx context.Context, id string) error {
	if err := m.lives(); err != nil {
		return err
	}
	return m.target.begin(ctx, id)
}

func (m *mortal) write(ctx context.Context, k key, data []byte) error {
	if err := m.lives(); err != nil {
		return err
	}
	return m.target.write(ctx, k, data)
}

func (m *mortal) remove(ctx context.Context, k key) error {
	if err := m.lives(); err != nil {
		return err
	}
	return m.target.remove(ctx, k)
}

func (m *mortal) finish(ctx context.Context, id string) error {
	if err := m.lives(); err != nil {
		return err
	}
	return m.target.finish(ctx, id)
}

// However often a move is killed, it goes on, and only the last write makes the target a store.
func TestMove(t *testing.T) {
	for from, newSource := range newPlaces {
		for to, newTarget := range newPlaces {
			if from == to {
				continue
			}
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				t.Parallel()
				source, target := newSource(t), newTarget(t)
				want := fill(t, source, 2)
				for _, writes := range []int{1, 2, 0, 2} { // the mark; two objects; none; the rest, without the ID
					wantKilled(t, source, target, writes)
				}
				if err := move(t.Context(), source, target, io.Discard); err != nil {
					t.Fatal(err)
				}
				wantContents(t, target, want)
				if err := move(t.Context(), source, &mortal{target: target}, io.Discard); err != nil {
					t.Errorf("the move of what was moved: %v, want that nothing is written", err)
				}
				wantContents(t, source, want)
			})
		}
	}
}

// wantKilled moves until so many writes are done, and wants that the target has no ID then.
func wantKilled(t *testing.T, from source, to target, writes int) {
	t.Helper()
	if err := move(t.Context(), from, &mortal{target: to, left: writes}, io.Discard); !errors.Is(err, errKilled) {
		t.Fatalf("the move: %v, want %v", err, errKilled)
	}
	if c, err := to.read(t.Context()); err != nil || c.id != "" || c.copyOf != id {
		t.Fatalf("after %d writes: ID %q, copy of %q, %v, want only the mark", writes, c.id, c.copyOf, err)
	}
}

func wantContents(t *testing.T, place source, want contents) {
	t.Helper()
	got, err := place.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.id != want.id || got.copyOf != "" {
		t.Errorf("%s has ID %q, and is a copy of %q, want ID %q", place, got.id, got.copyOf, want.id)
	}
	if diff := cmp.Diff(text(want), text(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", place, diff)
	}
}

func text(c contents) map[string]string {
	all := map[string]string{}
	for k, data := range maps.All(c.objects) {
		all[k.String()] = string(data)
	}
	return all
}

// What the envelope repeats is read from what was stored.
func TestMoveIntoTheClusterRepeats(t *testing.T) {
	from, to := newPlaces[store.Embedded](t), newPlaces[store.Cluster](t)
	fill(t, from, 1)
	if err := move(t.Context(), from, to, io.Discard); err != nil {
		t.Fatal(err)
	}
	kind, err := clusterstore.KindOf(v1beta1.Resource("nodemaintenances"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := to.(*clusterPlace).client.Resource(kind.GVR()).Get(t.Context(), "hold-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := clusterstore.Decode(u)
	if err != nil {
		t.Fatal(err)
	}
	want := clusterstore.Envelope{Name: "hold-0", Labels: map[string]string{"team": "x"}, Fields: map[string]string{"nodeName": "node-0"}, Data: []byte(stored(0))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("envelope (-want +got):\n%s", diff)
	}
}

// A source that changes meanwhile is in use.
func TestMoveRefusesAChangingSource(t *testing.T) {
	from, to := newPlaces[store.Cluster](t), newPlaces[store.Embedded](t)
	c := fill(t, from, 1)
	used := &usedWhileWritten{target: to, use: func() error {
		for k, data := range c.objects {
			return from.write(t.Context(), k, append(data, ' '))
		}
		return nil
	}}
	err := move(t.Context(), from, used, io.Discard)
	if want := "the source has changed meanwhile"; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("move: %v, want %q", err, want)
	}
	if c, err := to.read(t.Context()); err != nil || c.id != "" {
		t.Errorf("the target has ID %q, %v, want none", c.id, err)
	}
}

// usedWhileWritten is a target whose source is used while it is written.
type usedWhileWritten struct {
	target
	use func() error
}

func (u *usedWhileWritten) write(ctx context.Context, k key, data []byte) error {
	return errors.Join(u.target.write(ctx, k, data), u.use())
}

// A server does not start on a target that is not complete.
func TestServerRefusesAnIncompleteCopy(t *testing.T) {
	o := embedded(t)
	place, err := o.open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = place.begin(t.Context(), id)
	place.close()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := store.Open(t.Context(), store.Config{
		Type: store.Embedded, Embedded: o.Embedded, Backend: &storagebackend.Config{Prefix: prefix}, ReachTimeout: patience,
	})
	if err == nil {
		opened.Close()
	}
	if !errors.Is(err, clusterstore.ErrIncomplete) {
		t.Errorf("opened: %v, want %v", err, clusterstore.ErrIncomplete)
	}
}

// What this version does not know would be lost.
func TestUnknownKeyIsRefused(t *testing.T) {
	from := newPlaces[store.Etcd](t).(*etcdPlace)
	fill(t, from, 1)
	if _, err := from.client.Put(t.Context(), store.Root(prefix)+"maintenance.medik8s.io/fleets/a", "{}"); err != nil {
		t.Fatal(err)
	}
	err := move(t.Context(), from, newPlaces[store.Cluster](t), io.Discard)
	if want := "which this version of migrate-store does not know"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the move of a store with an unknown key: %v, want %q", err, want)
	}
}
