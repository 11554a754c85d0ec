// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// get asks the server itself, past the aggregator, for a path, as the admin, and
// trusts it by the bundle in its APIService.
func get(ctx context.Context, t *testing.T, server *localcluster.Server, path string) (string, error) {
	t.Helper()
	e := env.Current(t)
	apiService, err := getAPIService(ctx, e)
	if err != nil {
		return "", err
	}
	config := e.Cluster.Config()
	config.Host = fmt.Sprintf("https://127.0.0.1:%d", server.Port())
	config.CAData, config.CAFile = apiService.Spec.CABundle, ""
	config.ServerName = localcluster.ServerName + "." + localcluster.ServerNamespace + ".svc"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	body, err := client.RESTClient().Get().RequestURI(path).DoRaw(ctx)
	return string(body), err
}

func getAPIService(ctx context.Context, e *env.Env) (*apiregistrationv1.APIService, error) {
	client, err := apiregistration.NewForConfig(e.Cluster.Config())
	if err != nil {
		return nil, err
	}
	return client.ApiregistrationV1().APIServices().Get(ctx, localcluster.APIServiceName, metav1.GetOptions{})
}
