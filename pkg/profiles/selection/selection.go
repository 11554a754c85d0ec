// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package selection says which nodes a MaintenanceProfile selects. It is pure.
package selection

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Selector selects the nodes of one profile. Use New.
type Selector struct {
	nodes    v1beta1.ProfileNodes
	alias    string
	selector labels.Selector
	// label is the label of a node that has the aliases of its profiles.
	label string
}

// New returns the Selector of a profile. Label is the key of the label of nodes that has the aliases of their profiles.
// It fails if the selector of the profile is not valid, or cannot be read.
func New(profile *v1beta1.MaintenanceProfile, label string) (*Selector, error) {
	if why := v1beta1.WhyUnreadable(profile); why != "" {
		return nil, fmt.Errorf("the profile cannot be read: %s", why)
	}
	selector, err := metav1.LabelSelectorAsSelector(profile.Spec.Nodes.Selector)
	if err != nil {
		return nil, fmt.Errorf("spec.nodes.selector: %w", err)
	}
	return &Selector{nodes: profile.Spec.Nodes, alias: profile.AliasOrName(), selector: selector, label: label}, nil
}

// Selects says whether the profile selects the node.
func (s *Selector) Selects(node *corev1.Node) bool {
	aliases := Aliases(node, s.label)
	return s.nodes.Selector != nil && s.selector.Matches(labels.Set(node.Labels)) ||
		slices.Contains(s.nodes.Names, node.Name) ||
		s.nodes.ByLabel && slices.Contains(aliases, s.alias) ||
		s.nodes.Unlabelled && len(aliases) == 0
}

// Aliases are the profiles that a label of the node names, in its order.
func Aliases(node *corev1.Node, label string) []string {
	value := node.Labels[label]
	if value == "" {
		return nil
	}
	return strings.Split(value, v1beta1.ProfileSeparator)
}

// Place is the place of a profile in a label of the node, from 0. One that is not there comes after all others.
func Place(node *corev1.Node, label, alias string) int {
	aliases := Aliases(node, label)
	if at := slices.Index(aliases, alias); at >= 0 {
		return at
	}
	return len(aliases)
}
