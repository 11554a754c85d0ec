// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestServingCertificate restarts the server after somebody did something to its
// certificate. That it serves then, through the aggregator, is what start checks.
func TestServingCertificate(t *testing.T) {
	dir := filepath.Join(env.Current(t).Server.DataDir(), "tls")
	keepServer(t)
	for name, tc := range map[string]struct {
		change   func(t *testing.T)
		wantSame bool
	}{
		"nothing":             {change: func(*testing.T) {}, wantSame: true},
		"certificate garbled": {change: func(t *testing.T) { write(t, filepath.Join(dir, "tls.crt"), "garbage") }},
		"key removed":         {change: func(t *testing.T) { removeFile(t, filepath.Join(dir, "tls.key")) }},
		"folder removed":      {change: func(t *testing.T) { removeFile(t, dir) }},
		"bundle replaced":     {change: replaceBundle, wantSame: true},
		"bundle removed":      {change: func(t *testing.T) { setBundle(t, nil) }, wantSame: true},
	} {
		t.Run(name, func(t *testing.T) {
			certificate, bundle := readFile(t, filepath.Join(dir, "tls.crt")), bundleOf(t)
			kill(t)
			tc.change(t)
			start(t)
			if same := bytes.Equal(readFile(t, filepath.Join(dir, "tls.crt")), certificate); same != tc.wantSame {
				t.Errorf("the certificate is the same: %t, want %t", same, tc.wantSame)
			}
			if same := bytes.Equal(bundleOf(t), bundle); same != tc.wantSame {
				t.Errorf("the APIService's caBundle is the same: %t, want %t", same, tc.wantSame)
			}
		})
	}
}

// replaceBundle has the aggregator trust somebody else.
func replaceBundle(t *testing.T) {
	stranger, err := certs.NewAuthority("stranger")
	if err != nil {
		t.Fatal(err)
	}
	setBundle(t, stranger.Cert)
}

func setBundle(t *testing.T, bundle []byte) {
	t.Helper()
	client, err := apiregistration.NewForConfig(env.Current(t).Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"caBundle": bundle}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.ApiregistrationV1().APIServices().Patch(t.Context(), localcluster.APIServiceName, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not change the caBundle: %v", err)
	}
}

func bundleOf(t *testing.T) []byte {
	t.Helper()
	apiService, err := getAPIService(t.Context(), env.Current(t))
	if err != nil {
		t.Fatal(err)
	}
	return apiService.Spec.CABundle
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func removeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
