// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
)

// The drainer's clients write only while this replica leads, and read at any time.
func TestClientsOfTheDrainerAreFenced(t *testing.T) {
	for name, tc := range map[string]struct {
		elect    cliflag.Tristate
		request  func(ctx context.Context, kube kubernetes.Interface, kinds dynamic.Interface) error
		wantSent bool
	}{
		"a patch of a node":               {cliflag.True, patchNode, false},
		"a patch, without other replicas": {cliflag.False, patchNode, true},
		"a read": {cliflag.True, func(ctx context.Context, kube kubernetes.Interface, _ dynamic.Interface) error {
			_, err := kube.CoreV1().Nodes().Get(ctx, "worker-1", metav1.GetOptions{})
			return err
		}, true},
		"a write of another kind": {cliflag.True, func(ctx context.Context, _ kubernetes.Interface, kinds dynamic.Interface) error {
			return kinds.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("a").Delete(ctx, "b", metav1.DeleteOptions{})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int32
			cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				sent.Add(1)
				w.WriteHeader(http.StatusNotFound)
			}))
			defer cluster.Close()
			o := options.New()
			o.LeaderElection.Elect = tc.elect
			if err := o.Complete(); err != nil {
				t.Fatal(err)
			}
			config := &rest.Config{Host: cluster.URL}
			elector, err := newElector(config, o)
			if err != nil {
				t.Fatal(err)
			}
			kube, kinds, err := newDrainerClients(config, o.Drainer, elector)
			if err != nil {
				t.Fatal(err)
			}
			err = tc.request(t.Context(), kube, kinds)
			if refused := errors.Is(err, leadership.ErrNotLeading); refused == tc.wantSent || (sent.Load() == 1) != tc.wantSent {
				t.Errorf("sent: %d times, refused: %t; want sent: %t; %v", sent.Load(), refused, tc.wantSent, err)
			}
		})
	}
}

func patchNode(ctx context.Context, kube kubernetes.Interface, _ dynamic.Interface) error {
	_, err := kube.CoreV1().Nodes().Patch(ctx, "worker-1", types.MergePatchType, []byte("{}"), metav1.PatchOptions{})
	return err
}
