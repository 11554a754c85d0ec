// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// needs are what the checks depend on that transitions out of a state name.
type needs struct {
	// labels, annotations and conditions are those of the node itself.
	labels, annotations, conditions []string
	// node says that an expression may depend on anything of the node.
	node bool
	// questions are those about the cluster.
	questions []question
}

// newNeeds returns what some checks of a profile depend on.
func newNeeds(profile *v1beta1.MaintenanceProfile, asked []string) *needs {
	byName := map[string]*v1beta1.ProfileCheck{}
	for i := range profile.Spec.Checks {
		byName[profile.Spec.Checks[i].Name] = &profile.Spec.Checks[i]
	}
	n := &needs{}
	for _, name := range asked {
		_, check := evaluation.KindOf(byName[name])
		n.add(check, profile.Name)
	}
	return n
}

// add adds what a check depends on that is followed here.
func (n *needs) add(check evaluation.Needs, profile string) {
	n.labels = append(n.labels, check.Labels...)
	n.annotations = append(n.annotations, check.Annotations...)
	n.conditions = append(n.conditions, check.Conditions...)
	n.node = n.node || check.Node
	if c := check.AnyNode; c != nil {
		n.ask(question{anyNode: label{key: c.Key, value: ptr.Deref(c.Value, ""), hasValue: c.Value != nil}})
	}
	if c := check.Version; c != nil {
		n.ask(question{versions: versionsOf(c, profile)})
	}
	if check.Nodes > 0 {
		n.ask(question{nodes: check.Nodes})
	}
	if check.Operational > 0 {
		n.ask(question{operational: atLeast{profile: profile, min: check.Operational}})
	}
}

func (n *needs) ask(q question) { n.questions = append(n.questions, q) }

func versionsOf(c *v1beta1.ClusterVersionCheck, profile string) versions {
	v := versions{label: c.LabelKey, parse: parseOf(c.Parse)}
	if c.Scope == v1beta1.VersionScopeProfile {
		v.profile = profile
	}
	return v
}
