// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

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
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// The generic registry brings its own checks of what every resource must do.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(maintenancepolicy.Plural))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		storages, err := resource.NewStorage(maintenancepolicy.Definition(scheme.Scheme, New(nil)), own)
		if err != nil {
			t.Fatal(err)
		}
		store := storages[maintenancepolicy.Plural].(*REST).Store
		t.Cleanup(store.Destroy)
		return genericregistrytest.New(t, store).ClusterScope().ReturnDeletedObject()
	}
	invalid := storedPolicy()
	invalid.Spec.NodeSelector = nil
	t.Run("create", func(t *testing.T) { tester(t).TestCreate(storedPolicy(), invalid) })
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedPolicy(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenancePolicy).Spec.Paused = true
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenancePolicy).Spec.NodeSelector = nil
				return obj
			},
		)
	})
	t.Run("get", func(t *testing.T) { tester(t).TestGet(storedPolicy()) })
	t.Run("list", func(t *testing.T) { tester(t).TestList(storedPolicy()) })
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedPolicy()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedPolicy(),
			[]labels.Set{{"team": "storage"}}, []labels.Set{{"team": "network"}},
			[]fields.Set{{"metadata.name": "stored"}}, []fields.Set{{"metadata.name": "other"}})
	})
}

// storedPolicy is a policy as a create leaves it.
func storedPolicy() *v1beta1.MaintenancePolicy {
	return &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
		Spec: v1beta1.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{},
			Queue:        v1beta1.PolicyQueueSpec{MarkWaiting: ptr.To(true), AgingSeconds: ptr.To[int64](3600)},
		},
	}
}
