// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// NewLegacyGroupInfos describes versions of NodeMaintenance of the former operators. They serve the objects
// of the group own, which NewAPIGroupInfo has made. All groups must be installed together: the generic API
// server can then tell who owns which fields of an object, whichever group it was written through.
func NewLegacyGroupInfos(versions []schema.GroupVersion, own genericapiserver.APIGroupInfo, nodes storage.NodeFinder,
	scheme *runtime.Scheme, codecs serializer.CodecFactory, parameterCodec runtime.ParameterCodec,
) ([]*genericapiserver.APIGroupInfo, error) {
	storages := own.VersionedResourcesStorageMap[v1beta1.SchemeGroupVersion.Version]
	holds, areHolds := storages[nodemaintenance.Plural].(*storage.REST)
	status, isStatus := storages[nodemaintenance.Plural+"/status"].(*resource.StatusREST)
	if !areHolds || !isStatus {
		return nil, fmt.Errorf("nodemaintenances are served by %T, and their status by %T", storages[nodemaintenance.Plural], storages[nodemaintenance.Plural+"/status"])
	}
	infos := make([]*genericapiserver.APIGroupInfo, 0, len(versions))
	for _, version := range versions {
		info := newGroupInfo(version, legacy.NewStorage(version, scheme, nodes, holds, status), scheme, codecs, parameterCodec)
		infos = append(infos, &info)
	}
	return infos, nil
}
