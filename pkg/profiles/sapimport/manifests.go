// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Objects are all objects, in the order in which they are to be created.
func (r *Result) Objects() []runtime.Object {
	var objects []runtime.Object
	for i := range r.Secrets {
		objects = append(objects, &r.Secrets[i])
	}
	for i := range r.Endpoints {
		objects = append(objects, &r.Endpoints[i])
	}
	for i := range r.Profiles {
		objects = append(objects, &r.Profiles[i])
	}
	return objects
}

// Manifests are all objects as YAML, for kubectl apply. They have the credentials.
func (r *Result) Manifests() ([]byte, error) {
	var text bytes.Buffer
	for _, object := range r.Objects() {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		delete(content, "status")
		manifest, err := yaml.Marshal(content)
		if err != nil {
			return nil, err
		}
		text.WriteString("---\n")
		text.Write(manifest)
	}
	return text.Bytes(), nil
}
