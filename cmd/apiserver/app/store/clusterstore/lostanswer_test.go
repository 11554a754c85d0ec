// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/client-go/rest"
)

// A create whose answer is lost may have been carried out, so nobody repeats it. Without a connection, nothing was.
func TestCreateWithoutAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		listens      bool
		wantRequests int32
		want         func(error) bool
	}{
		"the answer is lost": {listens: true, wantRequests: 1, want: isTimeoutToLeave},
		"nobody listens":     {want: storage.IsUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			cluster := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				requests.Add(1)
				panic(http.ErrAbortHandler) // ends the connection
			}))
			defer cluster.Close()
			if !test.listens {
				cluster.Close()
			}
			client, err := NewClient(&rest.Config{Host: cluster.URL})
			if err != nil {
				t.Fatal(err)
			}
			err = newTestStore(t, client).Create(t.Context(), "/things/a", newPod("a"), &example.Pod{}, 0)
			if !test.want(err) || requests.Load() != test.wantRequests {
				t.Errorf("Create = %v (%T) after %d requests, want another error after %d", err, err, requests.Load(), test.wantRequests)
			}
		})
	}
}
