// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apifield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
)

// wantValid has the API decode manifests, which refuses unknown fields, set their defaults, and validate them.
func wantValid(t *testing.T, manifests []byte) {
	t.Helper()
	scheme := runtime.NewScheme()
	install.Install(scheme)
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	decoder := codecs.UniversalDecoder(v1beta1.SchemeGroupVersion, corev1.SchemeGroupVersion)
	for _, manifest := range strings.Split(string(manifests), "---\n")[1:] {
		object, err := runtime.Decode(decoder, []byte(manifest))
		if err != nil {
			t.Errorf("%v in\n%s", err, manifest)
			continue
		}
		if errs := validate(object); len(errs) > 0 {
			t.Errorf("%v in\n%s", errs.ToAggregate(), manifest)
		}
	}
}

func validate(object runtime.Object) apifield.ErrorList {
	switch o := object.(type) {
	case *v1beta1.MaintenanceProfile:
		return validation.ValidateMaintenanceProfile(o)
	case *v1beta1.MaintenanceEndpoint:
		return validation.ValidateMaintenanceEndpoint(o)
	case *corev1.Secret:
		return apivalidation.ValidateObjectMeta(&o.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, apifield.NewPath("metadata"))
	default:
		return apifield.ErrorList{apifield.InternalError(nil, nil)}
	}
}
