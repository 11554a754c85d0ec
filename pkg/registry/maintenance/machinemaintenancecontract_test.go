// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest/resttest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/machinemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// machineMaintenances is their storage on a store of its own, without a watch cache, and that store.
func machineMaintenances(t *testing.T) (*machinemaintenance.REST, *genericregistry.Store) {
	t.Helper()
	options := registrytest.RESTOptions(t, v1beta1.Resource(scheduledevent.Plural))
	options.Decorator = generic.UndecoratedStorage
	storages, err := resource.NewStorage(scheduledevent.Definition(scheme.Scheme, nil, 0, nil), options)
	if err != nil {
		t.Fatal(err)
	}
	events := storages[scheduledevent.Plural].(*resource.REST)
	chain := &recordingAdmission{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete)}
	return machinemaintenance.New(events, chain, admission.NewObjectInterfacesFromScheme(scheme.Scheme)), events.Store
}

// The library brings its own checks of what the storage of every resource must do.
func TestMachineMaintenanceContract(t *testing.T) {
	valid := &managedv1alpha1.MachineMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
		Spec:       managedv1alpha1.MachineMaintenanceSpec{EventCode: "instance-stop", MachineID: "i-1", MachineLink: "worker-1"},
	}
	for name, check := range map[string]func(*resttest.Tester, resttest.CreateFunc, resttest.GetFunc){
		"update": func(tester *resttest.Tester, create resttest.CreateFunc, get resttest.GetFunc) {
			tester.TestUpdate(valid, create, get, func(obj runtime.Object) runtime.Object {
				obj.(*managedv1alpha1.MachineMaintenance).Spec.MaintenanceScheduled = true
				return obj
			})
		},
		"delete": func(tester *resttest.Tester, create resttest.CreateFunc, get resttest.GetFunc) {
			tester.TestDelete(valid, create, get, apierrors.IsNotFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			storage, events := machineMaintenances(t)
			tester := resttest.New(t, storage).ReturnDeletedObject()
			tester.SetUserInfo(&user.DefaultInfo{Name: "alice"})
			create := func(ctx context.Context, obj runtime.Object) error {
				event := managedv1alpha1.NewEvent(obj.(*managedv1alpha1.MachineMaintenance))
				key, err := events.KeyFunc(ctx, event.Name)
				if err != nil {
					return err
				}
				return events.Storage.Create(ctx, key, event, nil, 0, false)
			}
			get := func(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
				return storage.Get(ctx, obj.(*managedv1alpha1.MachineMaintenance).Name, &metav1.GetOptions{})
			}
			check(tester, create, get)
		})
	}
}
