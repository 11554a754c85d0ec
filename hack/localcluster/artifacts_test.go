// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const artifactsForTest = `# a comment is no object
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {selector: {app: x}, ports: [{port: 443}]}
---
apiVersion: v1
kind: APIService
metadata: {name: group}
spec: {group: g, service: {name: server, namespace: home, port: 443}}
---
apiVersion: v1
kind: Deployment
metadata: {name: server}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
---
apiVersion: v1
kind: Namespace
metadata: {name: home}
`

func TestLocalArtifacts(t *testing.T) {
	objects, err := decodeObjects([]byte(artifactsForTest))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		port     int
		wantPort any
	}{
		"port known":         {port: 1234, wantPort: int64(1234)},
		"port not known yet": {port: 0, wantPort: int64(443)},
	} {
		t.Run(name, func(t *testing.T) {
			want := []map[string]any{
				{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "home"}},
				{
					"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "server"},
					"spec": map[string]any{"type": "ExternalName", "externalName": "localhost"},
				},
				{
					"apiVersion": "v1", "kind": "APIService", "metadata": map[string]any{"name": "group"},
					"spec": map[string]any{
						"group": "g", "service": map[string]any{"name": "server", "namespace": "home", "port": tc.wantPort},
					},
				},
			}
			var got []map[string]any
			for _, object := range localArtifacts(objects, tc.port) {
				got = append(got, object.Object)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("objects differ (-want +got):\n%s", diff)
			}
		})
	}
	if port, _, _ := unstructured.NestedInt64(objects[1].Object, "spec", "service", "port"); port != 443 {
		t.Errorf("got port %d in the object that was read, want it untouched", port)
	}
}

func TestArtifactFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		files   map[string]string
		want    []string
		wantErr bool
	}{
		"listed": {
			files: map[string]string{"b.yaml": "", "a.yaml": "", "kustomization.yaml": "resources: [b.yaml]"},
			want:  []string{"b.yaml"},
		},
		"all there are":   {files: map[string]string{"b.yaml": "", "a.yaml": "", "README.md": ""}, want: []string{"a.yaml", "b.yaml"}},
		"none":            {wantErr: true},
		"unreadable list": {files: map[string]string{"kustomization.yaml": "resources: {"}, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := artifactFiles(dir)
			if (err != nil) != tc.wantErr {
				t.Fatalf("got error %v, want error: %v", err, tc.wantErr)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("files differ (-want +got):\n%s", diff)
			}
		})
	}
}
