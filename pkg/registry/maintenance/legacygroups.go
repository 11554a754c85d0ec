// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	maintenancescheme "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/machinemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// NewLegacyGroupInfos describes versions of NodeMaintenance and MachineMaintenance of the former operators. They serve the
// objects of the group own, which NewAPIGroupInfo has made. chain is the server's own admission chain. All groups must be
// installed together: the generic API server can then tell who owns which fields of an object, whichever group it was
// written through.
func NewLegacyGroupInfos(versions []schema.GroupVersion, own genericapiserver.APIGroupInfo, nodes storage.NodeFinder, chain admission.Interface,
	scheme *runtime.Scheme, codecs maintenancescheme.CodecFactory, parameterCodec runtime.ParameterCodec,
) ([]*genericapiserver.APIGroupInfo, error) {
	stored := own.VersionedResourcesStorageMap[v1beta1.SchemeGroupVersion.Version]
	infos := make([]*genericapiserver.APIGroupInfo, 0, len(versions))
	for _, version := range versions {
		storages, err := legacyStorages(version, stored, nodes, chain, scheme)
		if err != nil {
			return nil, err
		}
		info := newGroupInfo(version, storages, scheme, codecs, parameterCodec)
		infos = append(infos, &info)
	}
	return infos, nil
}

// legacyStorages is the storage of a version's resources, on that of our own group.
func legacyStorages(version schema.GroupVersion, stored map[string]rest.Storage, nodes storage.NodeFinder, chain admission.Interface,
	scheme *runtime.Scheme,
) (map[string]rest.Storage, error) {
	if version == managedv1alpha1.SchemeGroupVersion {
		events, areEvents := stored[scheduledevent.Plural].(rest.StandardStorage)
		if !areEvents {
			return nil, fmt.Errorf("scheduledevents are served by %T", stored[scheduledevent.Plural])
		}
		return map[string]rest.Storage{
			managedv1alpha1.Plural: machinemaintenance.New(events, chain, admission.NewObjectInterfacesFromScheme(scheme)),
		}, nil
	}
	holds, areHolds := stored[nodemaintenance.Plural].(*storage.REST)
	status, isStatus := stored[nodemaintenance.Plural+"/status"].(*resource.StatusREST)
	if !areHolds || !isStatus {
		return nil, fmt.Errorf("nodemaintenances are served by %T, and their status by %T", stored[nodemaintenance.Plural], stored[nodemaintenance.Plural+"/status"])
	}
	return legacy.NewStorage(version, scheme, nodes, holds, status), nil
}
