// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// The names of our server's objects in a cluster, as in the artifacts.
const (
	// ServerNamespace is the namespace of our server.
	ServerNamespace = "maintenance-system"
	// ServerName is the name of its Service and of its ServiceAccount.
	ServerName = "maintenance-apiserver"
	// APIServiceName is the name of its APIService.
	APIServiceName = "v1beta1.maintenance.medik8s.io"
)

// ApplyArtifacts applies the same manifests as an admin of a real cluster, so that they are
// tested. It changes only what does not work without containers: there is no Deployment and
// no volume, the Service points to loopback, and the audit policy becomes a file. additions
// are folders of the artifacts that are applied as well, such as legacy.
func (c *Cluster) ApplyArtifacts(ctx context.Context, additions ...string) error {
	var objects []*unstructured.Unstructured
	for _, folder := range append([]string{""}, additions...) {
		read, err := c.readArtifacts(ctx, folder)
		if err != nil {
			return err
		}
		objects = append(objects, read...)
	}
	if err := c.writeServerAuditPolicy(objects); err != nil {
		return err
	}
	for _, object := range localArtifacts(objects, c.serverPort()) {
		if err := c.apply(ctx, object); err != nil {
			return err
		}
	}
	return c.removeOtherAPIServices(ctx, objects)
}

// readArtifacts returns the objects that the kustomization.yaml of a folder of the artifacts lists, in
// the order in which they can be applied.
func (c *Cluster) readArtifacts(ctx context.Context, folder string) ([]*unstructured.Unstructured, error) {
	dir := filepath.Join(c.options.root, "artifacts", folder)
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.binary(binaries.Kubectl), "kustomize", dir)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("could not build artifacts: %w\n%s", err, stderr.String())
	}
	objects, err := decodeObjects(&stdout)
	if err != nil {
		return nil, fmt.Errorf("could not parse artifacts: %w", err)
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

// localArtifacts returns the objects to apply to a local cluster. port is the port of our
// server on loopback, or 0 if it is not known yet.
func localArtifacts(objects []*unstructured.Unstructured, port int) []*unstructured.Unstructured {
	var local []*unstructured.Unstructured
	for _, object := range objects {
		switch object.GetKind() {
		case "Deployment", "PersistentVolumeClaim":
			continue
		case "Service":
			// The aggregator resolves an external name, and needs no endpoints for it.
			object = object.DeepCopy()
			object.Object["spec"] = map[string]any{"type": "ExternalName", "externalName": "localhost"}
		case "APIService":
			object = object.DeepCopy()
			spec, _ := object.Object["spec"].(map[string]any)
			if service, ok := spec["service"].(map[string]any); ok && port != 0 {
				service["port"] = int64(port)
			}
		}
		local = append(local, object)
	}
	return local
}
