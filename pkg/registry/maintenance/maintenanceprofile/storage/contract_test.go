// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistrytest "k8s.io/apiserver/pkg/registry/generic/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// The generic registry brings its own checks of what every resource must do. Those of create, get,
// list and watch are left out: they use names again, or make other objects than ours.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(maintenanceprofile.Plural))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	names := 0
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		storages, err := resource.NewStorage(maintenanceprofile.Definition(scheme.Scheme, 0, New(Config{})), own)
		if err != nil {
			t.Fatal(err)
		}
		store := storages[maintenanceprofile.Plural].(*REST).Store
		t.Cleanup(store.Destroy)
		// The checks delete what they create and then use its name again, but our finalizer keeps it.
		return genericregistrytest.New(t, store).ClusterScope().ReturnDeletedObject().Namer(func(int) string {
			names++
			return fmt.Sprintf("profile-%d", names)
		})
	}
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedProfile(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenanceProfile).Spec.Priority = 1
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.MaintenanceProfile).Spec.Priority = 101
				return obj
			},
		)
	})
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedProfile()) })
}

// storedProfile is a profile as a create leaves it, but for the finalizer: the checks delete objects and expect them to be
// gone.
func storedProfile() *v1beta1.MaintenanceProfile {
	return &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
		Spec: v1beta1.MaintenanceProfileSpec{
			Mode: v1beta1.ProfileActive, OnDetach: v1beta1.DetachFinish, NodeGoneSeconds: ptr.To[int64](600),
			Nodes: v1beta1.ProfileNodes{Unlabelled: true},
		},
	}
}
