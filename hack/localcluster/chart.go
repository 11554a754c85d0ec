// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The names of our server's objects in a cluster, when the chart is installed as README.md says.
const (
	// ServerNamespace is the namespace of our server.
	ServerNamespace = "maintenance-system"
	// SecretNamespace is the namespace of the Secrets of MaintenanceEndpoints.
	SecretNamespace = "maintenance-secrets"
	// ServerName is the name of the release, of the server's Service and of its ServiceAccount.
	ServerName = "maintenance-apiserver"
	// APIServiceName is the name of its APIService.
	APIServiceName = "v1beta1.maintenance.medik8s.io"
)

// ApplyChart renders the chart, and applies what it makes, so that it is tested. The values are those of a server
// that runs outside the cluster, on loopback. More of them are given as name=value.
func (c *Cluster) ApplyChart(ctx context.Context, values ...string) error {
	objects, err := c.renderChart(ctx, append(values, "namespace.create=true")...)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := c.apply(ctx, object); err != nil {
			return err
		}
	}
	return c.removeOtherAPIServices(ctx, objects)
}

// chartValues are those of a server on loopback. Its port is not known before its first start. For a store in an etcd, the
// chart makes no objects.
func (c *Cluster) chartValues() []string {
	values := []string{
		"image.repository=" + ServerName, "image.tag=local", "replicaCount=0", "service.externalAddress=localhost",
		"store.type=etcd", "store.etcd.servers={http://localhost}",
		// The keys are those of the chart, of the documents, and of tests.
		"rbac.allowForce=true", "profiles.nodeKeys={cloud.sap/*,flatcar-linux-update.v1.flatcar-linux.net/*,example.com/*,needed,marked}",
	}
	if port := c.serverPort(); port != 0 {
		values = append(values, "service.port="+strconv.Itoa(port))
	}
	return values
}

// renderChart returns the objects of the chart, in the order in which they can be applied.
func (c *Cluster) renderChart(ctx context.Context, values ...string) ([]*unstructured.Unstructured, error) {
	rendered, err := c.helm(ctx, append([]string{"template", "--no-hooks"}, c.ChartArgs(values...)...)...)
	if err != nil {
		return nil, err
	}
	objects, err := decodeObjects(strings.NewReader(rendered))
	if err != nil {
		return nil, fmt.Errorf("could not parse the rendered chart: %w", err)
	}
	return objects, nil
}

// decodeObjects reads one YAML document for each object.
func decodeObjects(documents io.Reader) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLToJSONDecoder(documents)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}
