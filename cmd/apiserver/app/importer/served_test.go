// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// crdWith is the CRD of the medik8s operator with one condition.
func crdWith(kind, status, message string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": medik8s.crd()},
		"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1beta1", "served": true}}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": kind, "status": status, "message": message}}},
	}}
}

func apiService() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": "v1beta1." + medik8s.group},
	}}
}

// clusterThatServes has one object of the medik8s operator. For each resource, it gives some answers before it
// always gives the last one; nil is that the API server knows nothing of it.
func clusterThatServes(answers map[string][]runtime.Object) *importer {
	kinds := map[schema.GroupVersionResource]string{medik8s.resource("v1beta1"): "NodeMaintenanceList"}
	for _, s := range sources {
		kinds[s.resource("v1beta1")] = "NodeMaintenanceList"
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		resource := action.GetResource()
		notFound := apierrors.NewNotFound(resource.GroupResource(), "")
		left := answers[resource.Resource]
		if get, isGet := action.(clienttesting.GetAction); len(left) == 0 || isGet && !strings.Contains(get.GetName(), medik8s.group) {
			return true, nil, notFound
		}
		if len(left) > 1 {
			answers[resource.Resource] = left[1:]
		}
		if left[0] == nil {
			return true, nil, notFound
		}
		return true, left[0], nil
	})
	patience := wait.Backoff{Duration: time.Microsecond, Steps: 4}
	return &importer{dynamic: client, patience: patience}
}

// A CRD may be installed or removed just when the import reads it. It neither fails for a moment's sake nor
// overlooks an object.
func TestCRDsThatComeAndGo(t *testing.T) {
	served, pending := crdWith("Established", "True", ""), crdWith("Established", "False", "")
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "nodemaintenance.medik8s.io/v1beta1", "kind": "NodeMaintenanceList"}}
	list.Items = []unstructured.Unstructured{*storedAs("uid", false)[0].(*unstructured.Unstructured)}
	service := []runtime.Object{apiService()}
	tests := map[string]struct {
		crd, service, objects []runtime.Object
		want                  int // objects
		wantErr               string
	}{
		"served":                 {crd: []runtime.Object{served}, service: service, objects: []runtime.Object{list}, want: 1},
		"none":                   {},
		"established soon":       {crd: []runtime.Object{pending, pending, served}, service: service, objects: []runtime.Object{list}, want: 1},
		"an APIService soon":     {crd: []runtime.Object{served}, service: []runtime.Object{nil, apiService()}, objects: []runtime.Object{list}, want: 1},
		"served soon":            {crd: []runtime.Object{served}, service: service, objects: []runtime.Object{nil, nil, list}, want: 1},
		"gone with its service":  {crd: []runtime.Object{served, nil}, service: []runtime.Object{nil}},
		"gone with its objects":  {crd: []runtime.Object{served, nil}, service: service},
		"gone, and there again":  {crd: []runtime.Object{served, served}, service: service, objects: []runtime.Object{nil, list}, want: 1},
		"never established":      {crd: []runtime.Object{pending}, wantErr: "are not served: it is not established yet; if it was just installed"},
		"names of somebody else": {crd: []runtime.Object{crdWith("NamesAccepted", "False", "taken")}, wantErr: "its names are not accepted: taken"},
		"never an APIService":    {crd: []runtime.Object{served}, wantErr: "it has no APIService v1beta1.nodemaintenance.medik8s.io"},
		"never served":           {crd: []runtime.Object{served}, service: service, wantErr: "its objects are not served"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			i := clusterThatServes(map[string][]runtime.Object{
				crds.Resource: test.crd, apiServices.Resource: test.service, plural: test.objects,
			})
			got, err := i.allObjects(t)
			if got != test.want || (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("%d objects, error %v, want %d and %q", got, err, test.want, test.wantErr)
			}
		})
	}
}

// allObjects counts the objects of all CRDs that are installed.
func (i *importer) allObjects(t *testing.T) (int, error) {
	t.Helper()
	installed, err := i.installed(t.Context())
	count := 0
	for s, crd := range installed {
		objects, listErr := i.objectsOf(t.Context(), s, crd.version)
		if listErr != nil {
			return 0, listErr
		}
		count += len(objects)
	}
	return count, err
}
