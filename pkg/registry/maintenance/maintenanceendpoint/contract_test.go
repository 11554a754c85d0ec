// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceendpoint

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistrytest "k8s.io/apiserver/pkg/registry/generic/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// The generic registry brings its own checks of what every resource must do.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(Plural))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		storages, err := resource.NewStorage(Definition(scheme.Scheme, 0), own)
		if err != nil {
			t.Fatal(err)
		}
		store := storages[Plural].(*resource.REST).Store
		t.Cleanup(store.Destroy)
		return genericregistrytest.New(t, store).ClusterScope().ReturnDeletedObject()
	}
	invalid := storedEndpoint()
	invalid.Spec.HTTP = nil
	t.Run("create", func(t *testing.T) { tester(t).TestCreate(storedEndpoint(), invalid) })
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedEndpoint(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenanceEndpoint).Spec.PerMinute = ptr.To[int32](1)
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenanceEndpoint).Spec.PerMinute = ptr.To[int32](0)
				return obj
			},
		)
	})
	t.Run("get", func(t *testing.T) { tester(t).TestGet(storedEndpoint()) })
	t.Run("list", func(t *testing.T) { tester(t).TestList(storedEndpoint()) })
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedEndpoint()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedEndpoint(),
			[]labels.Set{{"team": "storage"}}, []labels.Set{{"team": "network"}},
			[]fields.Set{{"metadata.name": "stored"}}, []fields.Set{{"metadata.name": "other"}})
	})
}

// storedEndpoint is an endpoint as a create leaves it.
func storedEndpoint() *v1beta1.MaintenanceEndpoint {
	return &v1beta1.MaintenanceEndpoint{
		ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
		Spec: v1beta1.MaintenanceEndpointSpec{
			HTTP: &v1beta1.URLEndpoint{URL: "https://example.com"}, TimeoutSeconds: ptr.To[int32](10), PerMinute: ptr.To[int32](60),
		},
	}
}
