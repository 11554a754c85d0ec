// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// LabelNoBackup keeps an envelope out of a backup by Velero, which backs up the NodeMaintenances already. Every
// envelope has it, with the value true.
const LabelNoBackup = "velero.io/exclude-from-backup"

// base64Prefix begins data that is not text, such as what was encrypted. JSON never begins with it.
const base64Prefix = "base64:"

// Envelope is what the cluster stores of one object.
type Envelope struct {
	// Namespace and Name are the object's.
	Namespace, Name string
	// UID and ResourceVersion are the envelope's own, set by the cluster. The object has another UID, in the data.
	UID             types.UID
	ResourceVersion string
	// Labels are the object's.
	Labels map[string]string
	// Fields are the fields that the envelope repeats, by their names there; see Kind.Fields.
	Fields map[string]string
	// Data is what the codec made of the object, after encryption if that is configured.
	Data []byte
}

// Encode returns the custom resource that holds the envelope.
func (e Envelope) Encode(kind Kind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"data": encodeData(e.Data)}}
	u.SetGroupVersionKind(GroupVersion.WithKind(kind.Name))
	u.SetNamespace(e.Namespace)
	u.SetName(e.Name)
	u.SetUID(e.UID)
	u.SetResourceVersion(e.ResourceVersion)
	labels := maps.Clone(e.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[LabelNoBackup] = "true"
	u.SetLabels(labels)
	if len(e.Fields) > 0 {
		fields := map[string]any{}
		for name, value := range e.Fields {
			fields[name] = value
		}
		u.Object["fields"] = fields
	}
	return u
}

// Decode returns the envelope that a custom resource holds. The error names the resource.
func Decode(u *unstructured.Unstructured) (Envelope, error) {
	e := Envelope{
		Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		Labels: u.GetLabels(),
	}
	delete(e.Labels, LabelNoBackup)
	fields, _, err := unstructured.NestedStringMap(u.Object, "fields")
	if err != nil {
		return e, fmt.Errorf("could not read %s: %w", describe(u), err)
	}
	e.Fields = fields
	data, found, err := unstructured.NestedString(u.Object, "data")
	if err == nil && !found {
		err = errors.New("it has no data")
	}
	if err == nil {
		e.Data, err = decodeData(data)
	}
	if err != nil {
		return e, fmt.Errorf("could not read %s: %w", describe(u), err)
	}
	return e, nil
}

// encodeData returns data as text.
func encodeData(data []byte) string {
	if text := string(data); utf8.ValidString(text) && !strings.HasPrefix(text, base64Prefix) {
		return text
	}
	return base64Prefix + base64.StdEncoding.EncodeToString(data)
}

func decodeData(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, base64Prefix)
	if !ok {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("its data is not base64: %w", err)
	}
	return data, nil
}

// describe names a custom resource for an error, as an argument of kubectl does.
func describe(u *unstructured.Unstructured) string {
	kind := u.GroupVersionKind()
	return fmt.Sprintf("%s.%s %s", kind.Kind, kind.Group, u.GetName())
}
