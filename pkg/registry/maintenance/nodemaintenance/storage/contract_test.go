// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistrytest "k8s.io/apiserver/pkg/registry/generic/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
)

// The generic registry brings its own checks of what every resource must do. Those
// of create and get are left out: they create objects in the name of nobody.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource("nodemaintenances"))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	names := 0
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		tester := genericregistrytest.New(t, newTestStorageIn(t, own).Store).ClusterScope().ReturnDeletedObject()
		tester.SetUserInfo(alice)
		// The checks delete what they create and then use its name again, but
		// our finalizer keeps it.
		return tester.Namer(func(int) string {
			names++
			return fmt.Sprintf("hold-%d", names)
		})
	}
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedHold(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.NodeMaintenance).Spec.Stage = v1beta1.StageCordon
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.NodeMaintenance).Spec.NodeName = "worker-2"
				return obj
			},
		)
	})
	t.Run("list", func(t *testing.T) { tester(t).TestList(storedHold()) })
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedHold()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedHold(),
			[]labels.Set{{"team": "storage"}},
			[]labels.Set{{"team": "network"}},
			[]fields.Set{
				{"metadata.name": "stored"},
				{"spec.nodeName": "worker-1"},
				{"spec.requestor": "alice"},
				{"status.phase": "Pending"},
			},
			[]fields.Set{{"spec.nodeName": "worker-2"}, {"spec.requestor": "bob"}},
		)
	})
}

// storedHold is a hold as a create leaves it, but for the finalizer: the contract
// checks delete objects and expect them to be gone.
func storedHold() *v1beta1.NodeMaintenance {
	hold := newHold("", "worker-1")
	hold.ObjectMeta = metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}}
	hold.Spec.Requestor = alice.Name
	hold.Status.Phase = v1beta1.PhasePending
	return hold
}
