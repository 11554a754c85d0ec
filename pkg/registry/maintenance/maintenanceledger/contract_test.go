// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceledger

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

// The generic registry brings its own checks of what every resource must do. Those of create and get
// are left out: they create objects of other names.
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
		tester(t).TestUpdate(storedLedger(), func(obj runtime.Object) runtime.Object {
			obj.(*v1beta1.MaintenanceLedger).Spec.Epoch++
			return obj
		})
	})
	t.Run("list", func(t *testing.T) { tester(t).TestList(storedLedger()) })
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedLedger()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedLedger(),
			[]labels.Set{{"team": "storage"}}, []labels.Set{{"team": "network"}},
			[]fields.Set{{"metadata.name": v1beta1.LedgerName}}, []fields.Set{{"metadata.name": "other"}})
	})
}

// storedLedger is a ledger as a create leaves it.
func storedLedger() *v1beta1.MaintenanceLedger {
	return &v1beta1.MaintenanceLedger{
		ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName, Labels: map[string]string{"team": "storage"}},
		Spec:       v1beta1.MaintenanceLedgerSpec{Epoch: 1},
	}
}
