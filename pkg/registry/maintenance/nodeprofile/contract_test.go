// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeprofile

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistrytest "k8s.io/apiserver/pkg/registry/generic/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/serveronly"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// The generic registry brings its own checks of what every resource must do. Those of create, get and list are left out:
// they create objects of other names.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(Plural))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		storages, err := resource.NewStorage(Definition(scheme.Scheme), own)
		if err != nil {
			t.Fatal(err)
		}
		store := storages[Plural].(*serveronly.REST).Store
		t.Cleanup(store.Destroy)
		return genericregistrytest.New(t, store).ClusterScope().ReturnDeletedObject()
	}
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedNodeProfile(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.NodeProfile).Labels = map[string]string{"a": "b"}
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.NodeProfile).Spec.Profile = "esx"
				return obj
			},
		)
	})
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedNodeProfile()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedNodeProfile(),
			[]labels.Set{{"team": "storage"}}, []labels.Set{{"team": "network"}},
			[]fields.Set{{"spec.nodeName": "worker-1", "spec.profile": "flatcar", "status.state": "Operational"}}, []fields.Set{{"spec.profile": "esx"}})
	})
}

// storedNodeProfile is a NodeProfile as a create leaves it.
func storedNodeProfile() *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-1.flatcar", Labels: map[string]string{"team": "storage"}},
		Spec:       v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"},
		Status:     v1beta1.NodeProfileStatus{State: v1beta1.ProfileOperational, Sequence: 1},
	}
}
