// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

import (
	"cmp"
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// nodeWatch watches the pods of a node.
type nodeWatch struct {
	node  string
	stop  context.CancelFunc
	store cache.Store
	// synced says that all pods are known.
	synced cache.DoneChecker
}

// start begins to watch the pods of a node, until the watch is stopped, or ctx is done. The caller holds the lock.
func (w *Watcher) start(ctx context.Context, node string, running *sync.WaitGroup) *nodeWatch {
	informer := cache.NewSharedIndexInformerWithOptions(w.listWatch(node), &corev1.Pod{}, cache.SharedIndexInformerOptions{})
	utilruntime.Must(informer.SetTransform(trim)) // fails only for one that runs
	started := &nodeWatch{node: node, store: informer.GetStore()}
	look := func(any) { w.look(started) }
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: look, UpdateFunc: func(_, updated any) { look(updated) }, DeleteFunc: look,
	})
	utilruntime.Must(err) // fails only for one that has ended
	started.synced = registration.HasSyncedChecker()
	ctx, started.stop = context.WithCancel(ctx)
	running.Go(func() { informer.RunWithContext(ctx) })
	running.Go(func() {
		select {
		case <-started.synced.Done():
			w.look(started) // a node without pods brings no event of its own
		case <-ctx.Done():
		}
	})
	return started
}

// look finds out anew what the pods of a node prefer.
func (w *Watcher) look(watched *nodeWatch) {
	w.mu.Lock()
	woken := w.looked(watched)
	w.mu.Unlock()
	w.wakeAll(woken)
}

// looked returns for whom the pods of a node make a difference now. The caller holds the lock.
func (w *Watcher) looked(watched *nodeWatch) []wakeup {
	if w.watches[watched.node] != watched || !cache.IsDone(watched.synced) {
		return nil
	}
	pods := watched.pods()
	known, was := w.pods[watched.node]
	if was && known == pods {
		return nil
	}
	before := w.verdicts()
	w.set(watched.node, &pods)
	woken := w.flipped(before)
	if !was || known.Prefers != pods.Prefers {
		woken = append(woken, w.own(watched.node)...)
	}
	return woken
}

// pods is what the pods of the node prefer.
func (n *nodeWatch) pods() evaluation.PodAffinity {
	var first *corev1.Pod
	for _, object := range n.store.List() {
		pod, isPod := object.(*corev1.Pod)
		if isPod && prefers(pod) && (first == nil || compare(pod, first) < 0) {
			first = pod
		}
	}
	if first == nil {
		return evaluation.PodAffinity{}
	}
	return evaluation.PodAffinity{Prefers: true, Pod: first.Namespace + "/" + first.Name}
}

func compare(a, b *corev1.Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// listWatch reads the pods that are bound to a node, from the API server's cache: the check says what is better, and needs
// no certainty.
func (w *Watcher) listWatch(node string) cache.ListerWatcher {
	selector := fields.OneTermEqualSelector("spec.nodeName", node).String()
	pods := w.Client.CoreV1().Pods(metav1.NamespaceAll)
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return pods.Watch(ctx, options)
		},
	}, w.Client)
}
