// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

// The check of the store says why the cluster cannot be used.
func TestPing(t *testing.T) {
	stores := schema.GroupResource{Group: GroupVersion.Group, Resource: StoreKind.Resource}
	for name, test := range map[string]struct {
		answer error
		want   string
	}{
		"the object is there": {},
		"no object":           {answer: apierrors.NewNotFound(stores, StoreName), want: "restore it from a backup"},
		"no kind": {
			answer: apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{}, "", "", 0, true),
			want:   "does not serve stores.store.maintenance.medik8s.io; install its CRD",
		},
		"not permitted":  {answer: apierrors.NewForbidden(stores, StoreName, nil), want: "does not let the server use its store"},
		"unknown":        {answer: apierrors.NewUnauthorized("who?"), want: "does not let the server use its store"},
		"too much to do": {answer: apierrors.NewTooManyRequests("busy", 7), want: "has too much to do"},
		"no answer":      {answer: errors.New("connection refused"), want: "does not answer: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := newTestCluster()
			cluster.PrependReactor("get", StoreKind.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, EncodeID(StoreName, "an ID"), test.answer
			})
			err := Ping(t.Context(), cluster)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("Ping = %v, want %q", err, test.want)
			}
		})
	}
}
