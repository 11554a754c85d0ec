// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Aggregate is what is known of all nodes together. Many may use it at the same time.
type Aggregate struct {
	mu       sync.RWMutex
	profiles map[string]*profile
	// aliases are the names of the profiles by their alias.
	aliases map[string]string
	nodes   map[string]*corev1.Node
	// labels are the indexes of the labels that checks of the kind anyNode name.
	labels map[string]*labelIndex
	// versions are the indexes of the labels that checks of the kind clusterVersion name.
	versions map[versions]*versionIndex
	// answers are those to the questions about the cluster that checks ask.
	answers map[question]string
}

// New returns an aggregate that knows nothing yet.
func New() *Aggregate {
	return &Aggregate{
		profiles: map[string]*profile{}, aliases: map[string]string{}, nodes: map[string]*corev1.Node{},
		labels: map[string]*labelIndex{}, versions: map[versions]*versionIndex{}, answers: map[question]string{},
	}
}

// View lets a function look at the cluster. What it asks is answered as of now, and the cluster changes meanwhile: expressions
// of users may take seconds, and whoever waited for them would have all others wait, too.
func (a *Aggregate) View(look func(evaluation.Cluster)) { look(live{a}) }
