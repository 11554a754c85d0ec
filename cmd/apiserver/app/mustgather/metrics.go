// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// inPodVariable is set in every pod.
const inPodVariable = "KUBERNETES_SERVICE_HOST"

// apiServices reads how the groups of NodeMaintenances are served, and by what our server is known.
func (g *gatherer) apiServices(ctx context.Context) error {
	c := g.index.begin("apiservices/", "how the groups of NodeMaintenances are served")
	resource := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	g.read(ctx, c, list{resource: resource, folder: c.path, fields: redact.APIService, see: func(object *unstructured.Unstructured) bool {
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		version, _, _ := unstructured.NestedString(object.Object, "spec", "version")
		if group == v1beta1.GroupName {
			encoded, _, _ := unstructured.NestedString(object.Object, "spec", "caBundle")
			g.serverCA, _ = base64.StdEncoding.DecodeString(encoded)
		}
		for _, served := range holdVersions {
			if served.GroupVersion == group+"/"+version {
				return true
			}
		}
		return false
	}})
	return nil
}

// metrics reads the metrics of our server.
func (g *gatherer) metrics(ctx context.Context) error {
	c := g.index.begin("server/metrics.txt", "the metrics of our server")
	var content []byte
	err := g.ask(ctx, func(ctx context.Context) (err error) {
		client, path, err := g.metricsClient()
		if err == nil {
			content, err = client.Get().AbsPath(path).DoRaw(ctx)
		}
		return err
	})
	if err != nil {
		c.missing = append(c.missing, why(err)+g.metricsAdvice(err))
		return nil
	}
	g.archive.add(c.path, content)
	return nil
}

// metricsClient returns who to ask for the metrics, and where.
func (g *gatherer) metricsClient() (rest.Interface, string, error) {
	host := g.metricsHost()
	if host == "" {
		return g.raw, fmt.Sprintf("/api/v1/namespaces/%s/services/https:%s:https/proxy/metrics", g.options.namespace, serverName), nil
	}
	config := rest.CopyConfig(g.config)
	config.Host, config.CAFile, config.CAData = host, "", g.serverCA
	config.ServerName, config.Insecure = serverName+"."+g.options.namespace+".svc", false
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, "", fmt.Errorf("could not create a client for the server: %w", err)
	}
	return client, "/metrics", nil
}

// metricsHost is where the server itself can be reached; empty: only through the API server.
func (g *gatherer) metricsHost() string {
	if g.options.server == "" && os.Getenv(inPodVariable) != "" {
		return "https://" + serverName + "." + g.options.namespace + ".svc"
	}
	return g.options.server
}

// metricsAdvice says what to do if the API server refused.
func (g *gatherer) metricsAdvice(err error) string {
	var refused apierrors.APIStatus
	if g.metricsHost() != "" || !errors.As(err, &refused) {
		return ""
	}
	return "; to read them past the API server, set --server"
}
