// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Envelop puts an object that another store has as data into an envelope. The data stays as it is; only what the
// envelope repeats is read from it. It must be JSON: what is encrypted cannot be moved, since the key of an object is a
// part of its encryption, and differs here.
func (k Kind) Envelop(name string, data []byte) (Envelope, error) {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, &u.Object); err != nil {
		return Envelope{}, fmt.Errorf("what is stored of %s is not JSON: if it is encrypted, have the server store it without encryption first: %w", name, err)
	}
	if found := u.GetName(); found != name {
		return Envelope{}, fmt.Errorf("what is stored of %s is named %q", name, found)
	}
	e := Envelope{Name: name, Labels: u.GetLabels(), Fields: map[string]string{}, Data: data}
	for path, field := range k.Fields {
		value, _, err := unstructured.NestedString(u.Object, strings.Split(path, ".")...)
		if err != nil {
			return Envelope{}, fmt.Errorf("could not read what is stored of %s: %w", name, err)
		}
		e.Fields[field] = value
	}
	return e, nil
}
