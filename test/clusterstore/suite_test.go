// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/storage"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// prefix begins the keys of the suite.
const prefix = "/pods/"

// suiteStore is a store of the suite's pods. The suite uses keys that no API server makes: without a namespace, or
// without a name. It reads them as the names of pods in the namespace default.
type suiteStore struct {
	*clusterstore.Store
	kind       clusterstore.Kind
	codec      *failingCodec
	encryption *encryption
	// dropTTL has updates that ask for a limited time stored for ever.
	dropTTL bool
}

var (
	_ storagetesting.InterfaceWithPrefixTransformer   = (*suiteStore)(nil)
	_ storagetesting.InterfaceWithTransformerOverride = (*suiteStore)(nil)
)

// newSuiteStore returns an empty store, of a kind of its own.
func newSuiteStore(t *testing.T, kind clusterstore.Kind) *suiteStore {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	s := &suiteStore{
		kind:       kind,
		codec:      &failingCodec{Codec: apitesting.TestCodec(serializer.NewCodecFactory(scheme), examplev1.SchemeGroupVersion)},
		encryption: &encryption{Transformer: storagetesting.NewPrefixTransformer([]byte("test!"), false)},
	}
	s.Store = clusterstore.New(clusterstore.Config{
		Client:      storeClient(t),
		Kind:        kind,
		Codec:       s.codec,
		Transformer: s.encryption,
		Prefix:      prefix,
		New:         func() runtime.Object { return &example.Pod{} },
		Attributes:  podAttributes,
	})
	t.Cleanup(s.Close)
	return s
}

func podAttributes(object runtime.Object) (labels.Set, fields.Set, error) {
	pod, ok := object.(*example.Pod)
	if !ok {
		return nil, nil, errors.New("not a pod")
	}
	return pod.Labels, fields.Set{"spec.nodeName": pod.Spec.NodeName}, nil
}

// inNamespace returns the key that an API server would use.
func inNamespace(key string) string {
	rest, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return key
	}
	namespace, name, _ := strings.Cut(rest, "/")
	switch {
	case rest == "":
		return prefix + "default/empty"
	case name == "":
		return prefix + "default/" + namespace
	case namespace == "":
		return prefix + "default/" + name
	default:
		return key
	}
}

// namespaces are those that exist, since the suite does not make them.
var namespaces sync.Map

func ensureNamespace(ctx context.Context, key string) error {
	rest, ok := strings.CutPrefix(key, prefix)
	namespace, _, _ := strings.Cut(rest, "/")
	if _, known := namespaces.Load(namespace); known || !ok {
		return nil
	}
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	_, err := current.Client().CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	namespaces.Store(namespace, true)
	return nil
}

func (s *suiteStore) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	key = inNamespace(key)
	if err := ensureNamespace(ctx, key); err != nil {
		return err
	}
	return s.Store.Create(ctx, key, object, out, ttl)
}

func (s *suiteStore) Get(ctx context.Context, key string, opts storage.GetOptions, object runtime.Object) error {
	return s.Store.Get(ctx, inNamespace(key), opts, object)
}

func (s *suiteStore) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	if !opts.Recursive {
		key = inNamespace(key)
	}
	return s.Store.GetList(ctx, key, opts, list)
}

func (s *suiteStore) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	if !opts.Recursive {
		key = inNamespace(key)
	}
	return s.Store.Watch(ctx, key, opts)
}

func (s *suiteStore) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, suggested runtime.Object, opts storage.DeleteOptions,
) error {
	return s.Store.Delete(ctx, inNamespace(key), out, preconditions, validate, suggested, opts)
}

func (s *suiteStore) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, suggested runtime.Object,
) error {
	key = inNamespace(key)
	if err := ensureNamespace(ctx, key); err != nil {
		return err
	}
	asked := update
	if s.dropTTL {
		update = func(object runtime.Object, meta storage.ResponseMeta) (runtime.Object, *uint64, error) {
			object, _, err := asked(object, meta)
			return object, nil, err
		}
	}
	return s.Store.GuaranteedUpdate(ctx, key, out, ignoreNotFound, preconditions, update, suggested)
}

// UpdatePrefixTransformer implements the suite's interface.
func (s *suiteStore) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	return s.encryption.replace(func(before value.Transformer) value.Transformer {
		changed := *before.(*storagetesting.PrefixTransformer)
		return modify(&changed)
	})
}

// UpdateTransformer implements the suite's interface.
func (s *suiteStore) UpdateTransformer(modify storagetesting.TransformerModifier) func() {
	return s.encryption.replace(modify)
}

// wantClean is what the suite asks of what is stored: it has no resourceVersion and no selfLink.
func (s *suiteStore) wantClean(ctx context.Context, t *testing.T, key string) {
	t.Helper()
	namespace, name, _ := strings.Cut(strings.TrimPrefix(inNamespace(key), prefix), "/")
	u, err := storeClient(t).Resource(s.kind.GVR()).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := clusterstore.Decode(u)
	if err != nil {
		t.Fatal(err)
	}
	pod := &example.Pod{}
	data := strings.TrimPrefix(string(envelope.Data), "test!")
	if _, _, err := s.codec.Decode([]byte(data), nil, pod); err != nil {
		t.Fatal(err)
	}
	if version, link := pod.GetResourceVersion(), pod.GetSelfLink(); version != "" || link != "" {
		t.Errorf("stored are resourceVersion %q and selfLink %q, want neither", version, link)
	}
}

// encryption is a transformer that the suite replaces.
type encryption struct {
	mu sync.RWMutex
	value.Transformer
	failing atomic.Bool
}

func (e *encryption) now() value.Transformer {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.Transformer
}

func (e *encryption) replace(modify func(value.Transformer) value.Transformer) (restore func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.Transformer
	e.Transformer = modify(before)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.Transformer = before
	}
}

var errSynthetic = errors.New("synthetic error")

func (e *encryption) TransformFromStorage(ctx context.Context, data []byte, at value.Context) ([]byte, bool, error) {
	if e.failing.Load() {
		return nil, false, errSynthetic
	}
	return e.now().TransformFromStorage(ctx, data, at)
}

func (e *encryption) TransformToStorage(ctx context.Context, data []byte, at value.Context) ([]byte, error) {
	return e.now().TransformToStorage(ctx, data, at)
}

// failingCodec is a codec that the suite has fail.
type failingCodec struct {
	runtime.Codec
	failing atomic.Bool
}

func (c *failingCodec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if c.failing.Load() {
		return nil, nil, errSynthetic
	}
	return c.Codec.Decode(data, defaults, into)
}

// increaseVersion has the cluster write something else, which increases its revision by one.
func increaseVersion(ctx context.Context, t *testing.T) int64 {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "version-"}}
	created, err := current.Client().CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	version, err := storage.APIObjectVersioner{}.ParseResourceVersion(created.ResourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	return int64(version)
}
