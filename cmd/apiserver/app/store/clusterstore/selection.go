// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/storage"
)

// namespaceField selects by namespace.
const namespaceField = "metadata.namespace"

// selectAt has the cluster select what it can of what is asked for: so that less is read. The predicate is applied to
// what the cluster answers, too.
func (s *Store) selectAt(at place, predicate storage.SelectionPredicate, options *metav1.ListOptions) {
	options.LabelSelector = selectableLabels(predicate.Label).String()
	selectors := s.selectableFields(predicate.Field)
	if at.name != "" {
		selectors = append(selectors, fields.OneTermEqualSelector(metav1.ObjectNameField, at.name))
	}
	options.FieldSelector = fields.AndSelectors(selectors...).String()
}

// leavesOut says whether the cluster cannot select by all that is asked for, so that only the predicate does.
func (s *Store) leavesOut(predicate storage.SelectionPredicate) bool {
	if predicate.Label != nil {
		requirements, selectable := predicate.Label.Requirements()
		isOurs := func(r labels.Requirement) bool { return r.Key() == LabelNoBackup }
		if !selectable || slices.ContainsFunc(requirements, isOurs) {
			return true
		}
	}
	return predicate.Field != nil && slices.ContainsFunc(predicate.Field.Requirements(), func(r fields.Requirement) bool {
		_, ok := s.fieldInCluster(r.Field)
		return !ok
	})
}

// selectableLabels returns what the cluster can select by labels: everything but the label that only envelopes have.
func selectableLabels(selector labels.Selector) labels.Selector {
	if selector == nil {
		return labels.Everything()
	}
	requirements, selectable := selector.Requirements()
	if !selectable {
		return labels.Nothing()
	}
	selected := labels.NewSelector()
	for _, requirement := range requirements {
		if requirement.Key() != LabelNoBackup {
			selected = selected.Add(requirement)
		}
	}
	return selected
}

// selectableFields returns what the cluster can select by fields.
func (s *Store) selectableFields(selector fields.Selector) []fields.Selector {
	var selected []fields.Selector
	if selector == nil {
		return nil
	}
	for _, requirement := range selector.Requirements() {
		name, ok := s.fieldInCluster(requirement.Field)
		switch {
		case !ok:
		case requirement.Operator == selection.NotEquals:
			selected = append(selected, fields.OneTermNotEqualSelector(name, requirement.Value))
		default:
			selected = append(selected, fields.OneTermEqualSelector(name, requirement.Value))
		}
	}
	return selected
}

// fieldInCluster returns the label that an envelope's field has for the cluster.
func (s *Store) fieldInCluster(field string) (name string, ok bool) {
	if field == metav1.ObjectNameField || field == namespaceField && s.Kind.Namespaced {
		return field, true
	}
	name, ok = s.Kind.Fields[field]
	return "fields." + name, ok
}
