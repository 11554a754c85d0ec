// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"maps"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// changes says whether an update changes anything but the status. All metadata counts: tools delete
// objects because of their labels, annotations or owners, and finalizers keep a hold from ending.
func (w write) changes() bool {
	return !apiequality.Semantic.DeepEqual(w.hold.Spec, w.old.Spec) ||
		!apiequality.Semantic.DeepEqual(w.requestedMetadata(), ownedByNobody(w.old.ObjectMeta)) ||
		!maps.Equal(w.fieldOwners(w.hold), w.fieldOwners(w.old))
}

// requestedMetadata is the new metadata. Those of its fields that the server itself keeps or checks
// are as stored: a request may leave them out.
func (w write) requestedMetadata() metav1.ObjectMeta {
	requested, stored := ownedByNobody(w.hold.ObjectMeta), w.old.ObjectMeta
	requested.UID, requested.ResourceVersion, requested.Generation = stored.UID, stored.ResourceVersion, stored.Generation
	requested.CreationTimestamp = stored.CreationTimestamp
	requested.DeletionTimestamp = stored.DeletionTimestamp
	requested.DeletionGracePeriodSeconds = stored.DeletionGracePeriodSeconds
	return requested
}

func ownedByNobody(metadata metav1.ObjectMeta) metav1.ObjectMeta {
	metadata.ManagedFields = nil
	return metadata
}

// fieldOwners are the managed fields of each manager, without their times: the server sets these even
// if nothing else changes. A write of the status also changes who owns the status.
func (w write) fieldOwners(hold *v1beta1.NodeMaintenance) map[metav1.ManagedFieldsEntry]string {
	owners := map[metav1.ManagedFieldsEntry]string{}
	for _, entry := range hold.ManagedFields {
		if w.subresource != "" && entry.Subresource == w.subresource {
			continue
		}
		owned := ""
		if entry.FieldsV1 != nil {
			owned = string(entry.FieldsV1.GetRawBytes())
		}
		entry.Time, entry.FieldsV1 = nil, nil
		owners[entry] = owned
	}
	return owners
}
