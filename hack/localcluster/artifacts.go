// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
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

// kustomization is the file that lists what an admin applies.
const kustomization = "kustomization.yaml"

// ApplyArtifacts applies the same manifests as an admin of a real cluster, so that they are
// tested. It changes only what does not work without containers: there is no Deployment and
// no volume, and the Service points to loopback.
func (c *Cluster) ApplyArtifacts(ctx context.Context) error {
	objects, err := readArtifacts(filepath.Join(c.options.root, "artifacts"))
	if err != nil {
		return err
	}
	for _, object := range localArtifacts(objects, c.serverPort()) {
		if err := c.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// readArtifacts reads the files that kustomization.yaml lists. If there is no such file, it
// reads every YAML file of the folder, but not of its subfolders.
func readArtifacts(dir string) ([]*unstructured.Unstructured, error) {
	files, err := artifactFiles(dir)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, fmt.Errorf("could not read artifact: %w", err)
		}
		decoded, err := decodeObjects(content)
		if err != nil {
			return nil, fmt.Errorf("could not parse artifact %s: %w", file, err)
		}
		objects = append(objects, decoded...)
	}
	return objects, nil
}

func artifactFiles(dir string) ([]string, error) {
	content, err := os.ReadFile(filepath.Join(dir, kustomization))
	if err == nil {
		var list struct {
			Resources []string `json:"resources"`
		}
		if err := yaml.Unmarshal(content, &list); err != nil {
			return nil, fmt.Errorf("could not parse %s: %w", kustomization, err)
		}
		return list.Resources, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("could not read %s: %w", kustomization, err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("could not list artifacts: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("could not find artifacts in %s", dir)
	}
	var files []string
	for _, path := range paths {
		files = append(files, filepath.Base(path))
	}
	return files, nil
}

func decodeObjects(content []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*unstructured.Unstructured
	for {
		var raw runtime.RawExtension
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(raw.Raw) == 0 || bytes.Equal(raw.Raw, []byte("null")) {
			continue // nothing but a comment
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(raw.Raw); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// localArtifacts returns the objects to apply to a local cluster. port is the port of our
// server on loopback, or 0 if it is not known yet. Namespaces come first, since other
// objects need them.
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
	slices.SortStableFunc(local, func(a, b *unstructured.Unstructured) int {
		return applyRank(a) - applyRank(b)
	})
	return local
}

func applyRank(object *unstructured.Unstructured) int {
	if object.GetKind() == "Namespace" {
		return 0
	}
	return 1
}
