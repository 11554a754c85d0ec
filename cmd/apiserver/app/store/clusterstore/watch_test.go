// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	clienttesting "k8s.io/client-go/testing"
)

// A watch lists what is selected before it begins only where the cluster cannot select by it.
func TestWatchRemembersOnlyWhatItMust(t *testing.T) {
	for selector, want := range map[string][]string{
		"spec.nodeName=n":      {"watch"},
		"status.phase=Running": {"list", "watch"},
	} {
		t.Run(selector, func(t *testing.T) {
			cluster := newTestCluster()
			w, err := newTestStore(t, cluster).Watch(t.Context(), "/things/", storage.ListOptions{
				ResourceVersion: "5", Recursive: true,
				Predicate: storage.SelectionPredicate{Label: labels.Everything(), Field: fields.ParseSelectorOrDie(selector), GetAttrs: podAttributes},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			var verbs []string
			for _, action := range cluster.Actions() {
				verbs = append(verbs, action.GetVerb())
			}
			if !slices.Equal(verbs, want) {
				t.Errorf("the cluster was asked to %q, want %q", verbs, want)
			}
		})
	}
}

// A client that hangs up while its watch begins leaves none in the cluster.
func TestWatchOfGoneClient(t *testing.T) {
	cluster, begun := newTestCluster(), watch.NewFake()
	ctx, hangUp := context.WithCancel(t.Context())
	cluster.PrependWatchReactor(testKind.Resource, func(clienttesting.Action) (bool, watch.Interface, error) {
		hangUp()
		return true, begun, nil
	})
	_, err := newTestStore(t, cluster).Watch(ctx, "/things/", storage.ListOptions{Recursive: true, Predicate: storage.Everything})
	if err != nil || !begun.IsStopped() {
		t.Errorf("Watch = %v, stopped %t, want no error and a stopped watch", err, begun.IsStopped())
	}
}
