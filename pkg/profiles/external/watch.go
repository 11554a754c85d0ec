// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// selection is what an informer watches: no more than checks ask about.
type selection struct {
	schema.GroupVersionResource
	// namespace is empty for all namespaces, and for resources without them.
	namespace string
	// selector is empty for all objects.
	selector string
}

func selectionOf(check *v1beta1.ObjectCheck) (selection, error) {
	group, err := schema.ParseGroupVersion(check.APIVersion)
	if err != nil {
		return selection{}, err
	}
	selected := selection{GroupVersionResource: group.WithResource(check.Resource), namespace: check.Namespace}
	if check.NameExpression != "" {
		return selected, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(check.Selector)
	if err != nil {
		return selection{}, err
	}
	selected.selector = selector.String()
	return selected, nil
}

// String names the resource, as kubectl does: deployments.apps in namespace a.
func (s selection) String() string {
	name := s.GroupResource().String()
	if s.namespace != "" {
		name += " in namespace " + s.namespace
	}
	return name
}

// watched is an informer, and who follows it. The lock of its owner guards it, but for what the informer has.
type watched struct {
	selection
	// informer is nil before it was started.
	informer cache.SharedIndexInformer
	// followers are those who follow it, by what they are about. No set of them is empty.
	followers map[string]sets.Set[*subscription]
	// objects are those of the informer, sorted; nil if they have to be listed again.
	objects []map[string]any
	// trouble is why it cannot be read now.
	trouble trouble
	// stop ends it; nil before it was started.
	stop context.CancelFunc
	// unwanted is since when nobody follows it, if that is so.
	unwanted time.Time
}

const (
	// everyObject is for subscriptions that are about all objects.
	everyObject = "*"
	// noObject is for subscriptions whose object has no name.
	noObject = ""
)

func (w *watched) follow(s *subscription) {
	if w.followers[s.about] == nil {
		w.followers[s.about] = sets.New[*subscription]()
	}
	w.followers[s.about].Insert(s)
}

func (w *watched) unfollow(s *subscription) {
	w.followers[s.about].Delete(s)
	if len(w.followers[s.about]) == 0 {
		delete(w.followers, s.about)
	}
}

// sorted returns all objects, by namespace and name.
func (w *watched) sorted() []map[string]any {
	if w.objects != nil {
		return w.objects
	}
	found := w.informer.GetStore().ListKeys()
	slices.SortFunc(found, strings.Compare)
	w.objects = []map[string]any{}
	for _, key := range found {
		if object := w.object(key); object != nil {
			w.objects = append(w.objects, object)
		}
	}
	return w.objects
}

// object returns an object, which must not be changed, or nil.
func (w *watched) object(key string) map[string]any {
	found, _, _ := w.informer.GetStore().GetByKey(key) // its error is always nil
	if object, ok := found.(*unstructured.Unstructured); ok {
		return object.Object
	}
	return nil
}

// isElsewhere says whether the objects have namespaces although the selection has none.
func (w *watched) isElsewhere() bool {
	if w.namespace != "" {
		return false
	}
	for _, key := range w.informer.GetStore().ListKeys() {
		namespace, _, _ := cache.SplitMetaNamespaceKey(key) // informers make keys that can be split
		return namespace != ""
	}
	return false
}

// newInformer returns an informer that is not running. It calls ended with how each list and watch has begun.
func newInformer(client dynamic.Interface, of selection, ended func(context.Context, error)) (cache.SharedIndexInformer, error) {
	kind := client.Resource(of.GroupVersionResource).Namespace(of.namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = of.selector
			list, err := kind.List(ctx, options)
			ended(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = of.selector
			events, err := kind.Watch(ctx, options)
			ended(ctx, err)
			return events, err
		},
	}
	informer := cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(source, client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: of.GroupVersionResource.String()})
	return informer, informer.SetTransform(bare)
}

// bare takes away who manages which fields: often more than half of an object, and of no use here.
func bare(object any) (any, error) {
	if u, isNew := object.(*unstructured.Unstructured); isNew {
		u.SetManagedFields(nil)
	}
	return object, nil
}
