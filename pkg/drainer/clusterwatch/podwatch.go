// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// PodWatches watches pods for each node under drain, and for no other: memory grows with the nodes
// under drain, not with the cluster.
type PodWatches struct {
	client kubernetes.Interface
	// selection says which pods are watched for a node.
	selection func(node string) PodSelection
	// changed is called when the pods of a node changed, and once they are known at all.
	changed func(node string)

	mu      sync.Mutex
	watches map[string]*podWatch
	running sync.WaitGroup
}

// PodSelection is a selection of pods: of a namespace or of all, by fields and labels.
type PodSelection struct{ Namespace, Fields, Labels string }

// apply has a list or a watch be of these pods.
func (s PodSelection) apply(options *metav1.ListOptions) {
	options.FieldSelector, options.LabelSelector = s.Fields, s.Labels
}

// podWatch watches the pods of one node.
type podWatch struct {
	stop   context.CancelFunc
	store  cache.Store
	synced cache.DoneChecker
	// failure is the last error of listing or watching the pods. It does not count once the watch has
	// synced.
	failure atomic.Pointer[error]
}

// NewPodWatches returns watches of selected pods. They call changed for a node whose pods have changed.
func NewPodWatches(client kubernetes.Interface, selection func(node string) PodSelection, changed func(node string)) *PodWatches {
	return &PodWatches{client: client, selection: selection, changed: changed, watches: map[string]*podWatch{}}
}

// Preload has the pods of a node be those of the store, and watches nothing: for benchmarks.
func (w *PodWatches) Preload(node string, store cache.Store, synced cache.DoneChecker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches[node] = &podWatch{stop: func() {}, store: store, synced: synced}
}

// Start begins to watch the pods of the node, until stop or close. The end of ctx does not end the
// watch. It does nothing when they are watched already.
func (w *PodWatches) Start(ctx context.Context, node string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watches[node] != nil {
		return nil
	}
	informer := cache.NewSharedIndexInformerWithOptions(w.listWatch(node), &corev1.Pod{}, cache.SharedIndexInformerOptions{})
	if err := informer.SetTransform(trim); err != nil {
		return fmt.Errorf("could not trim pods of node %s: %w", node, err)
	}
	changed := func(any) { w.changed(node) }
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, updated any) { changed(updated) }, DeleteFunc: changed,
	})
	if err != nil {
		return fmt.Errorf("could not watch pods of node %s: %w", node, err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	started := &podWatch{stop: stop, store: informer.GetStore(), synced: registration.HasSyncedChecker()}
	err = informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, reflector *cache.Reflector, err error) {
		cache.DefaultWatchErrorHandler(ctx, reflector, err)
		started.failure.Store(&err)
		w.changed(node)
	})
	if err != nil {
		stop()
		return fmt.Errorf("could not watch pods of node %s: %w", node, err)
	}
	w.watches[node] = started
	w.running.Go(func() { informer.RunWithContext(ctx) })
	w.running.Go(func() {
		// A node without pods brings no event of its own.
		select {
		case <-started.synced.Done():
			w.changed(node)
		case <-ctx.Done():
		}
	})
	return nil
}

// Stop ends the watch of the node's pods without waiting for its goroutines; close does.
func (w *PodWatches) Stop(node string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if watched := w.watches[node]; watched != nil {
		watched.stop()
		delete(w.watches, node)
	}
}

// Close ends all watches and returns when no goroutine of any is left.
func (w *PodWatches) Close() {
	w.mu.Lock()
	for _, watched := range w.watches {
		watched.stop()
	}
	clear(w.watches)
	w.mu.Unlock()
	w.running.Wait()
}

// Pods returns the pods of a watched node, sorted by namespace and name, and whether they are
// known yet.
func (w *PodWatches) Pods(node string) ([]*corev1.Pod, bool) {
	w.mu.Lock()
	watched := w.watches[node]
	w.mu.Unlock()
	if watched == nil || !cache.IsDone(watched.synced) {
		return nil, false
	}
	objects := watched.store.List()
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, object := range objects {
		if pod, isPod := object.(*corev1.Pod); isPod {
			pods = append(pods, pod)
		}
	}
	sortPods(pods)
	return pods, true
}

// Failure says why the pods of a watched node are not known yet; empty when they may be soon.
func (w *PodWatches) Failure(node string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	watched := w.watches[node]
	if watched == nil {
		return ""
	}
	if err := watched.failure.Load(); err != nil {
		return fmt.Sprintf("could not list pods of node %s: %v", node, *err)
	}
	return ""
}

// Watched are the nodes whose pods are watched.
func (w *PodWatches) Watched() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.watches))
}

func sortPods(pods []*corev1.Pod) {
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

func (w *PodWatches) listWatch(node string) cache.ListerWatcher {
	selection := w.selection(node)
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			selection.apply(&options)
			if options.ResourceVersion == "0" {
				// Not from the API server's cache: a pod that was evicted before a restart
				// of this process must be seen as terminating.
				options.ResourceVersion = ""
			}
			return w.client.CoreV1().Pods(selection.Namespace).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			selection.apply(&options)
			return w.client.CoreV1().Pods(selection.Namespace).Watch(ctx, options)
		},
	}, w.client)
}
