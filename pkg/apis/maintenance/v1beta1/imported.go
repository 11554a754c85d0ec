// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ImportedFrom is the value of ImportedAnnotation, as JSON: the object of another operator that a hold was
// imported from, and what that object said of the maintenance. The server goes on from there.
//
// +k8s:deepcopy-gen=false
// +k8s:openapi-gen=false
type ImportedFrom struct {
	// APIVersion, Namespace, Name and UID tell which object it was. Namespace is empty for an object of
	// the cluster. APIVersion, Name and UID are required.
	APIVersion string    `json:"apiVersion"`
	Namespace  string    `json:"namespace,omitempty"`
	Name       string    `json:"name"`
	UID        types.UID `json:"uid"`
	// CreationTime is when it was created. Required.
	CreationTime metav1.Time `json:"creationTime"`
	// Creator is the program that created it, as its managed fields say; empty: not known.
	Creator string `json:"creator,omitempty"`
	// Phase and LastError are what its status said.
	Phase     string `json:"phase,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// NodeUID is the UID of the node that the operator took out of service, and NodeBefore is what that
	// node was like before. Both are set, or neither: then the operator has not touched the node.
	NodeUID    types.UID   `json:"nodeUID,omitempty"`
	NodeBefore *NodeBefore `json:"nodeBefore,omitempty"`
	// StartTime is when the operator began; nil if it has not.
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// DrainedTime is when the last pod had left the node; nil if pods are still to leave.
	DrainedTime *metav1.Time `json:"drainedTime,omitempty"`
	// DrainProgress is how much of the drain was done, from 0 to 100 percent.
	DrainProgress int32 `json:"drainProgress,omitempty"`
	// TotalPods, EvictionPods and PendingPodCount are as in NodeMaintenanceStatus.
	TotalPods       int32 `json:"totalPods,omitempty"`
	EvictionPods    int32 `json:"evictionPods,omitempty"`
	PendingPodCount int32 `json:"pendingPodCount,omitempty"`
	// Ending says that the object was being deleted, so that the import deletes the hold as well.
	Ending bool `json:"ending,omitempty"`
}

// ReadImportedFrom reads ImportedAnnotation among the annotations of a stored object. It returns nil if there is
// none, and an error if its value is not what ImportedFrom says. A field that a newer version has written, and this
// one does not know, is passed over.
func ReadImportedFrom(annotations map[string]string) (*ImportedFrom, error) {
	return readImportedFrom(annotations, func(*json.Decoder) {})
}

// ReadNewImportedFrom is ReadImportedFrom for an object that is to be stored: a field that is not known is an error.
func ReadNewImportedFrom(annotations map[string]string) (*ImportedFrom, error) {
	return readImportedFrom(annotations, (*json.Decoder).DisallowUnknownFields)
}

func readImportedFrom(annotations map[string]string, prepare func(*json.Decoder)) (*ImportedFrom, error) {
	value, found := annotations[ImportedAnnotation]
	if !found {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(value)))
	prepare(decoder)
	from := &ImportedFrom{}
	if err := decoder.Decode(from); err != nil {
		return nil, fmt.Errorf("must be the JSON that maintenance-apiserver import writes: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one JSON object with nothing behind it")
	}
	return from, nil
}
