// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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
		n.addNode(byName[name])
		n.addCluster(byName[name], profile.Name)
	}
	return n
}

// addNode adds what a check asks about the node itself.
func (n *needs) addNode(c *v1beta1.ProfileCheck) {
	switch {
	case c.NodeAnnotation != nil:
		n.annotations = append(n.annotations, c.NodeAnnotation.Key)
	case c.NodeLabel != nil:
		n.labels = append(n.labels, c.NodeLabel.Key)
	case c.NodeCondition != nil:
		n.conditions = append(n.conditions, c.NodeCondition.Type)
	case c.ClusterVersion != nil:
		n.labels = append(n.labels, c.ClusterVersion.LabelKey)
	case c.MaxInMaintenance != nil:
		n.labels = append(n.labels, c.MaxInMaintenance.GroupBy...)
	case c.Node != nil, c.Object != nil:
		n.node = true
	}
}

// addCluster adds what a check asks about the cluster.
func (n *needs) addCluster(c *v1beta1.ProfileCheck, profile string) {
	switch {
	case c.AnyNode != nil:
		n.ask(question{anyNode: label{
			key: c.AnyNode.Key, value: ptr.Deref(c.AnyNode.Value, ""), hasValue: c.AnyNode.Value != nil,
		}})
	case c.NodeCount != nil:
		n.ask(question{nodes: c.NodeCount.Min})
	case c.ClusterVersion != nil:
		n.ask(question{versions: versionsOf(c.ClusterVersion, profile)})
	case c.PodAffinity != nil && c.PodAffinity.MinOperational > 0:
		n.ask(question{operational: atLeast{profile: profile, min: c.PodAffinity.MinOperational}})
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
