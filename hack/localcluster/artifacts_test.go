// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const artifactsForTest = `apiVersion: v1
kind: Namespace
metadata: {name: home}
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
`

func TestLocalArtifacts(t *testing.T) {
	objects, err := decodeObjects(strings.NewReader(artifactsForTest))
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
	if port, _, _ := unstructured.NestedInt64(objects[2].Object, "spec", "service", "port"); port != 443 {
		t.Errorf("got port %d in the object that was read, want it untouched", port)
	}
}
