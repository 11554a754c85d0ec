// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// A conflict although nothing else was written ends a write: the next try would end in the same way.
func TestConflictWithNobody(t *testing.T) {
	for verb, write := range map[string]func(context.Context, *Store) error{
		"update": func(ctx context.Context, s *Store) error {
			rename := func(object runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
				object.(*example.Pod).Spec.NodeName += "x"
				return object, nil, nil
			}
			return s.GuaranteedUpdate(ctx, "/things/a", &example.Pod{}, false, nil, rename, nil)
		},
		"delete": func(ctx context.Context, s *Store) error {
			return s.Delete(ctx, "/things/a", &example.Pod{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
		},
	} {
		t.Run(verb, func(t *testing.T) {
			s, cluster := newStoreOfOne(t)
			tries := 0
			cluster.PrependReactor(verb, testKind.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				if tries++; tries > 5 {
					return true, nil, errors.New("too many tries")
				}
				return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: testKind.Resource}, "a", nil)
			})
			if err := write(t.Context(), s); !storage.IsConflict(err) {
				t.Errorf("got %v after %d tries, want the conflict", err, tries)
			}
		})
	}
}

// An envelope that somebody else keeps, with a finalizer, does not keep the deletion from ending.
func TestDeletionThatIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cluster := newStoreOfOne(t)
		silent := watch.NewFake()
		cluster.PrependWatchReactor(testKind.Resource, clienttesting.DefaultWatchReactor(silent, nil))
		err := s.Delete(t.Context(), "/things/a", &example.Pod{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
		if err != nil || !silent.IsStopped() {
			t.Errorf("Delete = %v, watch stopped %t, want no error and no watch", err, silent.IsStopped())
		}
	})
}

// newStoreOfOne returns a store that has the pod a.
func newStoreOfOne(t *testing.T) (*Store, *fake.FakeDynamicClient) {
	t.Helper()
	cluster := newTestCluster()
	giveVersions(cluster)
	s := newTestStore(t, cluster)
	if err := s.Create(t.Context(), "/things/a", newPod("a"), nil, 0); err != nil {
		t.Fatal(err)
	}
	return s, cluster
}
