// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestServingCertificate restarts the server after somebody did something to the CA of its
// certificate. That it serves then, through the aggregator, is what start checks.
func TestServingCertificate(t *testing.T) {
	keepServer(t)
	for name, tc := range map[string]struct {
		change   func(t *testing.T)
		wantSame bool
	}{
		"nothing":         {change: func(*testing.T) {}, wantSame: true},
		"Secret deleted":  {change: deleteCA},
		"Secret garbled":  {change: garbleCA},
		"bundle replaced": {change: replaceBundle, wantSame: true},
		"bundle removed":  {change: func(t *testing.T) { setBundle(t, nil) }, wantSame: true},
	} {
		t.Run(name, func(t *testing.T) {
			bundle := bundleOf(t)
			kill(t)
			tc.change(t)
			start(t)
			if same := bytes.Equal(bundleOf(t), bundle); same != tc.wantSame {
				t.Errorf("the APIService's caBundle is the same: %t, want %t", same, tc.wantSame)
			}
		})
	}
}

func deleteCA(t *testing.T) {
	t.Helper()
	secrets := env.Current(t).Kube.CoreV1().Secrets(localcluster.ServerNamespace)
	if err := secrets.Delete(t.Context(), localcluster.ServerName+"-ca", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func garbleCA(t *testing.T) {
	t.Helper()
	secrets := env.Current(t).Kube.CoreV1().Secrets(localcluster.ServerNamespace)
	patch := []byte(`{"stringData":{"tls.crt":"garbage","tls.key":"garbage","ca.crt":"garbage"}}`)
	if _, err := secrets.Patch(t.Context(), localcluster.ServerName+"-ca", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
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
