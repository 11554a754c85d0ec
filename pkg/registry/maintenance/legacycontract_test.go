// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest/resttest"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
)

// oldStorage is the storage of an old group on a store of its own, without a watch cache.
func oldStorage(t *testing.T, version schema.GroupVersion) *legacy.REST {
	t.Helper()
	options := registrytest.RESTOptions(t, v1beta1.Resource("nodemaintenances"))
	options.Decorator = generic.UndecoratedStorage
	authorizing := authorization.New(&testRights{}, "")
	group, err := NewAPIGroupInfo(scheme.Scheme, scheme.Codecs, scheme.ParameterCodec, options, Dependencies{
		Waker: noWaker{}, Nodes: &changingNodes{}, Planner: noPlanner{}, Space: &testSpace{}, Admission: &recordingAdmission{},
		AuthorizeUpdate: authorizing.AuthorizeUpdate, AuthorizeRead: authorizing.AuthorizeRead, AuthorizeApproval: authorizing.AuthorizeApproval,
		AuthorizeDecision: authorizing.AuthorizeDecision, SharesRoom: authorizing.SharesRoom,
	})
	if err != nil {
		t.Fatal(err)
	}
	infos, err := NewLegacyGroupInfos([]schema.GroupVersion{version}, group, everyNode{}, &recordingAdmission{}, scheme.Scheme, scheme.Codecs, scheme.ParameterCodec)
	if err != nil {
		t.Fatal(err)
	}
	return infos[0].VersionedResourcesStorageMap[version.Version]["nodemaintenances"].(*legacy.REST)
}

// The library brings its own checks of what the storage of every resource must do.
func TestOldContract(t *testing.T) {
	for _, version := range legacyinstall.GroupVersions() {
		t.Run(version.Group, func(t *testing.T) {
			storage := oldStorage(t, version)
			names := 0
			tester := resttest.New(t, storage).ClusterScope().ReturnDeletedObject().Namer(func(int) string {
				names++ // our finalizer keeps what the checks delete
				return fmt.Sprintf("hold-%d", names)
			})
			tester.SetUserInfo(&user.DefaultInfo{Name: "alice"})
			create := func(ctx context.Context, obj runtime.Object) error {
				key, err := storage.KeyFunc(ctx, obj.(*v1beta1.NodeMaintenance).Name)
				if err != nil {
					return err
				}
				return storage.Storage.Create(ctx, key, obj, nil, 0, false)
			}
			get := func(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
				return storage.Get(ctx, obj.(*v1beta1.NodeMaintenance).Name, &metav1.GetOptions{})
			}
			stored := &v1beta1.NodeMaintenance{
				ObjectMeta: metav1.ObjectMeta{Name: "stored", Labels: map[string]string{"team": "storage"}},
				Spec: v1beta1.NodeMaintenanceSpec{
					NodeName: "worker-1", Requestor: "alice", Stage: v1beta1.StageDrain,
					Drain: v1beta1.DrainSpec{
						OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
					},
				},
				Status: v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending},
			}
			tester.TestUpdate(stored, create, get, func(obj runtime.Object) runtime.Object {
				obj.(*v1beta1.NodeMaintenance).Spec.Reason = "new"
				return obj
			})
			tester.TestDelete(stored, create, get, apierrors.IsNotFound)
		})
	}
}
