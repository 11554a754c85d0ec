// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistrytest "k8s.io/apiserver/pkg/registry/generic/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// The generic registry brings its own checks of what every resource must do. Those of create and get are left out: they
// delete objects and use their names again, but our finalizer keeps them.
func TestContract(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(scheduledevent.Plural))
	// The checks of watches start from revision 1, which a watch cache has not.
	options.Decorator = generic.UndecoratedStorage
	names := 0
	tester := func(t *testing.T) *genericregistrytest.Tester {
		own := options
		own.ResourcePrefix += "/" + t.Name()
		tester := genericregistrytest.New(t, newREST(t, own).Store).ClusterScope().ReturnDeletedObject()
		// The checks delete what they create and then use its name again, but our finalizer keeps it.
		return tester.Namer(func(int) string {
			names++
			return fmt.Sprintf("event-%d", names)
		})
	}
	t.Run("update", func(t *testing.T) {
		tester(t).TestUpdate(storedEvent(),
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.ScheduledEvent).Spec.State = v1beta1.EventCanceled
				return obj
			},
			func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.ScheduledEvent).Spec.NodeName = "worker-2"
				return obj
			},
		)
	})
	t.Run("list", func(t *testing.T) { tester(t).TestList(storedEvent()) })
	t.Run("delete", func(t *testing.T) { tester(t).TestDelete(storedEvent()) })
	t.Run("watch", func(t *testing.T) {
		tester(t).TestWatch(storedEvent(),
			[]labels.Set{{"team": "storage"}}, []labels.Set{{"team": "network"}},
			[]fields.Set{
				{"metadata.name": "stored"}, {"spec.nodeName": "worker-1", "spec.source": "manual", "spec.instanceID": "i-1", "status.phase": "Pending", "status.nodeName": ""},
			},
			[]fields.Set{{"spec.source": "aws"}, {"status.nodeName": "worker-1"}})
	})
}

func newREST(t *testing.T, options generic.RESTOptionsGetter) *REST {
	t.Helper()
	storages, err := resource.NewStorage(scheduledevent.Definition(scheme.Scheme, nil, 0, New(nil, true)), options)
	if err != nil {
		t.Fatal(err)
	}
	served := storages[scheduledevent.Plural].(*REST)
	t.Cleanup(served.Destroy)
	return served
}

// storedEvent is an event as a create leaves it, but for the finalizer: the contract checks delete objects and expect them
// to be gone.
func storedEvent() *v1beta1.ScheduledEvent {
	return &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
		Spec: v1beta1.ScheduledEventSpec{
			Source: "manual", Code: "system-reboot", NodeName: "worker-1", InstanceID: "i-1", State: v1beta1.EventScheduled,
			NotBefore: ptr.To(metav1.NewTime(time.Date(2027, 1, 1, 0, 0, 0, 0, time.Local))),
		},
		Status: v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending},
	}
}
