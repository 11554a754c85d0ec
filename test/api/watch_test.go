// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// nextEvent waits for one event of a watch.
func nextEvent(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	select {
	case event, ok := <-w.ResultChan():
		if !ok {
			t.Fatal("the watch has ended")
		}
		return event
	case <-ctx.Done():
		t.Fatal("no event")
	}
	return watch.Event{}
}

// nextChange is the next event that is more than a bookmark: those come whenever
// the server likes.
func nextChange(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	for {
		if event := nextEvent(t, w); event.Type != watch.Bookmark {
			return event
		}
	}
}

// A watch that begins with what exists sends it, then a bookmark that says so,
// then what changes.
func TestWatchWithInitialEvents(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	hold := createQuiet(t, pool, "a")
	w, err := holds.Watch(t.Context(), metav1.ListOptions{
		FieldSelector:        "spec.nodeName=" + absentNode(pool),
		AllowWatchBookmarks:  true,
		SendInitialEvents:    ptr.To(true),
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	wantEvent(t, nextEvent(t, w), watch.Added, hold.Name)
	bookmark := nextEvent(t, w)
	object, ok := bookmark.Object.(*v1beta1.NodeMaintenance)
	if bookmark.Type != watch.Bookmark || !ok || object.Annotations[metav1.InitialEventsAnnotationKey] != "true" || object.ResourceVersion == "" {
		t.Fatalf("got %s %+v, want the bookmark that ends the initial events", bookmark.Type, bookmark.Object)
	}

	pool.Kubectl().Must(t, "", "label", "nm", hold.Name, "a=b")
	wantEvent(t, nextChange(t, w), watch.Modified, hold.Name)

	// Another watch goes on from the bookmark and sees the same.
	again, err := holds.Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "spec.nodeName=" + absentNode(pool), ResourceVersion: object.ResourceVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Stop()
	wantEvent(t, nextChange(t, again), watch.Modified, hold.Name)
	pool.Delete(t, hold.Name)
	for event := nextChange(t, w); ; event = nextChange(t, w) {
		if event.Type == watch.Deleted {
			return
		}
		wantEvent(t, event, watch.Modified, hold.Name) // deletion begins, the finalizer goes
	}
}

func wantEvent(t *testing.T, event watch.Event, kind watch.EventType, name string) {
	t.Helper()
	object, ok := event.Object.(*v1beta1.NodeMaintenance)
	if !ok || event.Type != kind || object.Name != name {
		t.Fatalf("got %s %+v, want %s of %s", event.Type, event.Object, kind, name)
	}
}

// A hold that enters another phase comes and goes for who watches one phase.
func TestWatchByPhase(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 1, pool.Selector()))
	w, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "status.phase=Running,spec.nodeName=" + pool.Nodes[0],
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	wantEvent(t, nextEvent(t, w), watch.Added, hold.Name)
	for event := nextEvent(t, w); event.Type != watch.Deleted; event = nextEvent(t, w) {
		wantEvent(t, event, watch.Modified, hold.Name)
	}
	if !env.Drained(get(t, pool, hold.Name)) {
		t.Error("the hold has left phase Running before the node was drained")
	}
}

// Clients that would rather have protobuf, as those of Kubernetes' own
// components do, get JSON: our types have no protobuf.
func TestClientsThatPreferProtobuf(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	config := pool.Cluster.Config()
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	selected := metav1.ListOptions{FieldSelector: "spec.nodeName=" + absentNode(pool)}

	typed, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := typed.MaintenanceV1beta1().NodeMaintenances().List(t.Context(), selected)
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != hold.Name {
		t.Errorf("the typed client: got %v, %v", list, err)
	}
	w, err := typed.MaintenanceV1beta1().NodeMaintenances().Watch(t.Context(), selected)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	wantEvent(t, nextEvent(t, w), watch.Added, hold.Name)

	metadataOnly, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	partial, err := metadataOnly.Resource(v1beta1.SchemeGroupVersion.WithResource("nodemaintenances")).List(t.Context(), selected)
	if err != nil || len(partial.Items) != 1 || partial.Items[0].UID != hold.UID {
		t.Errorf("the metadata client: got %v, %v", partial, err)
	}
}

// The generated informer, which asks for bookmarks and initial events itself.
func TestInformer(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	before := createQuiet(t, pool, "before")
	factory := externalversions.NewSharedInformerFactory(pool.Maintenance, 0)
	informer := factory.Maintenance().V1beta1().NodeMaintenances()
	startInformer(t, factory, informer.Informer())
	if _, err := informer.Lister().Get(before.Name); err != nil {
		t.Error(err)
	}
	after := createQuiet(t, pool, "after")
	env.Eventually(t, "the informer sees a new hold", func(context.Context) string {
		if _, err := informer.Lister().Get(after.Name); err != nil {
			return err.Error()
		}
		return ""
	})
	pool.Delete(t, after.Name)
	env.Eventually(t, "the informer sees it go", func(context.Context) string {
		if _, err := informer.Lister().Get(after.Name); err == nil {
			return "still there"
		}
		return ""
	})
}

// startInformer runs the informers of the factory until the end of the test, and returns when this one shows
// what there is.
func startInformer(t *testing.T, factory externalversions.SharedInformerFactory, informer cache.SharedIndexInformer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer did not sync")
	}
}
