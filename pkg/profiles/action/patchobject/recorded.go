// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchobject

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers as they are

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// recorded is a merge patch as it was recorded: with the UID of the object that it was made for.
type recorded map[string]any

// maxDepth is how deep maps and lists of a patch may be in each other. To merge a patch takes memory for the whole object for
// each level.
const maxDepth = 32

func decode(patch string) (recorded, error) {
	var r recorded
	if err := json.Unmarshal([]byte(patch), &r); err != nil {
		return nil, fmt.Errorf("its patch cannot be read: %w", err)
	}
	return r, wantShallow(map[string]any(r))
}

func wantShallow(patch map[string]any) error {
	if isDeeper(maxDepth, patch) {
		return fmt.Errorf("the patch has more than %d levels of maps and lists in each other", maxDepth)
	}
	return nil
}

// isDeeper says whether a value has more levels.
func isDeeper(levels int, value any) bool {
	deeper := func(item any) bool { return levels == 0 || isDeeper(levels-1, item) }
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			if deeper(item) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, deeper)
	}
	return false
}

// record makes the patch one for that object alone.
func record(patch map[string]any, uid types.UID) (string, error) {
	metadata, is := patch["metadata"].(map[string]any)
	if _, found := patch["metadata"]; found && !is {
		return "", errors.New("metadata of the patch is no map")
	}
	if metadata == nil {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"] = string(uid)
	if err := wantShallow(patch); err != nil {
		return "", err
	}
	encoded, err := json.Marshal(patch)
	if err != nil {
		return "", fmt.Errorf("the patch cannot be written as JSON: %w", err)
	}
	if len(encoded) > v1beta1.MaxPatchBytes {
		return "", fmt.Errorf("the patch has %d bytes, and at most %d are allowed: set fewer or shorter values", len(encoded), v1beta1.MaxPatchBytes)
	}
	return string(encoded), nil
}

// bodyFor returns the patch for the object as it is; nil if that is as it should be. The API server refuses it if the
// object has changed in between: lists are replaced as a whole.
func (r recorded) bodyFor(object *unstructured.Unstructured) ([]byte, error) {
	uid, _, _ := unstructured.NestedString(r, "metadata", "uid")
	if uid != string(object.GetUID()) {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, object.GetName()+" of the UID "+uid)
	}
	changes, err := r.changes(object)
	if err != nil || !changes {
		return nil, err
	}
	body := (&unstructured.Unstructured{Object: r}).DeepCopy()
	body.SetResourceVersion(object.GetResourceVersion())
	return body.MarshalJSON()
}

// changes says whether the patch would change the object.
func (r recorded) changes(object *unstructured.Unstructured) (bool, error) {
	patch, err := json.Marshal(r)
	if err != nil {
		return false, fmt.Errorf("could not encode its patch: %w", err)
	}
	before, err := json.Marshal(object.Object)
	if err != nil {
		return false, fmt.Errorf("could not encode it: %w", err)
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		return false, fmt.Errorf("could not apply its patch: %w", err)
	}
	var was, is any
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(after, &is)); err != nil {
		return false, fmt.Errorf("could not compare it: %w", err)
	}
	return !apiequality.Semantic.DeepEqual(was, is), nil
}

// lostOf are the fields that are not as a merge patch says, sorted, after a path that ends with a dot.
func lostOf(patch, object map[string]any, path string) (lost []string) {
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		is, found := object[name]
		switch wanted := patch[name].(type) {
		case map[string]any:
			inner, _ := is.(map[string]any)
			lost = append(lost, lostOf(wanted, inner, path+name+".")...)
		case nil:
			if found {
				lost = append(lost, path+name)
			}
		default:
			if !apiequality.Semantic.DeepEqual(is, wanted) {
				lost = append(lost, path+name)
			}
		}
	}
	return lost
}
