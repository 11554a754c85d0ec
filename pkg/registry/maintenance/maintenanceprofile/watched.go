// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Watch is what the server watches for checks of the kind object: one cache in its memory.
type Watch struct {
	schema.GroupVersionResource
	// Namespace is empty for all namespaces, and for resources without them.
	Namespace string
	// Selector is empty for all objects.
	Selector string
}

// Watched is what the server watches for checks of the profiles.
func Watched(profiles ...v1beta1.MaintenanceProfile) sets.Set[Watch] {
	watched := sets.New[Watch]()
	for i := range profiles {
		for _, check := range profiles[i].Spec.Checks {
			if check.Object == nil {
				continue
			}
			if watch, err := watchOf(check.Object); err == nil {
				watched.Insert(watch)
			}
		}
	}
	return watched
}

func watchOf(check *v1beta1.ObjectCheck) (Watch, error) {
	parsed, err := schema.ParseGroupVersion(check.APIVersion)
	if err != nil {
		return Watch{}, err
	}
	watch := Watch{GroupVersionResource: parsed.WithResource(check.Resource), Namespace: check.Namespace}
	if check.NameExpression != "" {
		return watch, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(check.Selector)
	if err != nil {
		return Watch{}, err
	}
	watch.Selector = selector.String()
	return watch, nil
}
