// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestNobodyIsAnonymousAtFirst asks the server with a client certificate from before its port answers:
// the admin is never taken for an anonymous user.
func TestNobodyIsAnonymousAtFirst(t *testing.T) {
	keepServer(t)
	e := env.Current(t)
	apiService, err := getAPIService(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	config := e.Cluster.Config()
	config.Host = fmt.Sprintf("https://127.0.0.1:%d", e.Server.Port())
	config.CAData, config.CAFile = apiService.Spec.CABundle, ""
	config.ServerName = localcluster.ServerName + "." + localcluster.ServerNamespace + ".svc"
	config.QPS = -1
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		kill(t)
		if err := e.Server.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.Eventually(t, "the server answers", func(ctx context.Context) string {
			var err error
			for range 1000 {
				_, err = client.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{})
				if err == nil || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
					break
				}
			}
			switch {
			case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
				t.Errorf("the admin is refused: %v", err)
			case err != nil:
				return err.Error()
			}
			return ""
		})
	}
}
