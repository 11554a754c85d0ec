// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"encoding/json"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Patched is what a merge patch or a strategic merge patch makes of an object. It fails with a
// conflict when the patch names another UID or resource version.
func Patched[T Object](object T, kind types.PatchType, patch []byte) (T, error) {
	var none T
	if err := checkPreconditions(object, patch); err != nil {
		return none, err
	}
	original, err := json.Marshal(object)
	if err != nil {
		return none, err
	}
	merged, err := merge(original, kind, patch, object)
	if err != nil {
		return none, err
	}
	patched := emptyLike(object).(T)
	return patched, json.Unmarshal(merged, patched)
}

func merge(original []byte, kind types.PatchType, patch []byte, like Object) ([]byte, error) {
	if kind == types.StrategicMergePatchType {
		return strategicpatch.StrategicMergePatch(original, patch, like)
	}
	return jsonpatch.MergePatch(original, patch)
}

// checkPreconditions compares the UID and the resource version that a patch names.
func checkPreconditions(object Object, patch []byte) error {
	var named struct {
		Metadata struct {
			UID             *types.UID
			ResourceVersion *string
		}
	}
	if err := json.Unmarshal(patch, &named); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	uid, version := named.Metadata.UID, named.Metadata.ResourceVersion
	if (uid != nil && *uid != object.GetUID()) || (version != nil && *version != object.GetResourceVersion()) {
		resource := resourceOf(object).GroupResource()
		return apierrors.NewConflict(resource, object.GetName(), nil)
	}
	return nil
}

// roundTrip is the object as it is when it has been written as JSON and read again.
func roundTrip(object Object) (Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	fresh := emptyLike(object)
	return fresh, json.Unmarshal(data, fresh)
}

// emptyLike is an empty object of the same type.
func emptyLike(object metav1.Object) Object {
	return reflect.New(reflect.TypeOf(object).Elem()).Interface().(Object)
}
