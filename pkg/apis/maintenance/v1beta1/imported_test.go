// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "testing"

// A newer version may have imported more than this one knows of. That must neither hide the rest, nor be stored by
// this version.
func TestImportedFromOfANewerVersion(t *testing.T) {
	annotations := map[string]string{ImportedAnnotation: `{"apiVersion":"v1","name":"a","uid":"u","new":{"a":1}}`}
	from, err := ReadImportedFrom(annotations)
	if err != nil || from.Name != "a" || from.UID != "u" {
		t.Errorf("read %+v, %v, want the object that was imported", from, err)
	}
	if from, err := ReadNewImportedFrom(annotations); err == nil {
		t.Errorf("read %+v, want an error", from)
	}
}
