// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scheme has the scheme that the server encodes and decodes API objects with.
package scheme

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/install"
)

var (
	// Scheme knows every type that the server serves.
	Scheme = newScheme()
	// Codecs encodes and decodes them.
	Codecs = NewCodecFactory(Scheme)
	// ParameterCodec reads list, watch, create and other options from URLs.
	ParameterCodec = runtime.NewParameterCodec(Scheme)
)

// Served returns the types that clients see, and not what they are in the server too.
func Served() *runtime.Scheme {
	served := runtime.NewScheme()
	for kind, object := range Scheme.AllKnownTypes() {
		if kind.Version != runtime.APIVersionInternal {
			served.AddKnownTypeWithName(kind, reflect.New(object).Interface().(runtime.Object))
		}
	}
	return served
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	legacyinstall.Install(s)

	// Options, statuses and discovery are encoded in the core version v1, for requests to
	// any group.
	core := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(s, core)
	s.AddUnversionedTypes(core,
		&metav1.Status{},
		&metav1.APIVersions{},
		&metav1.APIGroupList{},
		&metav1.APIGroup{},
		&metav1.APIResourceList{},
	)
	return s
}
