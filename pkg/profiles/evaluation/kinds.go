// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"errors"
	"sync"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// kindOf makes a check of the API one that can be asked. It has the table of all kinds, by the names of their fields.
func kindOf(c *v1beta1.ProfileCheck) (name string, made check) {
	for _, kind := range []struct {
		name string
		is   bool
		made check // only for a check of the kind
	}{
		{"nodeAnnotation", c.NodeAnnotation != nil, nodeAnnotation{c.NodeAnnotation}},
		{"nodeLabel", c.NodeLabel != nil, nodeLabel{c.NodeLabel}},
		{"anyNode", c.AnyNode != nil, anyNode{c.AnyNode}},
		{"nodeCondition", c.NodeCondition != nil, nodeCondition{c.NodeCondition}},
		{"node", c.Node != nil, compiled(Needs{Node: true}, c.Node, newNodeExpression)},
		{"object", c.Object != nil, answered{Needs{Answer: true, Node: true}}}, // the node may name the object
		{"nodeCount", c.NodeCount != nil, nodeCount{c.NodeCount}},
		{"clusterVersion", c.ClusterVersion != nil, clusterVersion{c.ClusterVersion}},
		{"podAffinity", c.PodAffinity != nil, podAffinity{c.PodAffinity}},
		{"maxInMaintenance", c.MaxInMaintenance != nil, maxInMaintenance{c.MaxInMaintenance}},
		{"stagger", c.Stagger != nil, stagger{c.Stagger}},
		{"timeWindow", c.TimeWindow != nil, compiled(Needs{}, c.TimeWindow, newTimeWindow)},
		{"wait", c.Wait != nil, compiled(Needs{}, c.Wait, newWait)},
		{"prometheus", c.Prometheus != nil, answered{Needs{Answer: true}}},
		{"http", c.HTTP != nil, answered{Needs{Answer: true}}},
		{"approval", c.Approval != nil, approval{c.Approval}},
	} {
		if kind.is {
			return kind.name, kind.made
		}
	}
	return "", compiled(Needs{}, c, func(*v1beta1.ProfileCheck) (asker, error) {
		return nil, errors.New("it is of a kind that this server does not know")
	})
}

// KindOf returns the name of the field that says what a check asks, and what it depends on. The name is empty if this
// version does not know it.
func KindOf(c *v1beta1.ProfileCheck) (name string, needs Needs) {
	name, made := kindOf(c)
	return name, made.needs()
}

// Needs are what the result of a check depends on, besides the time and the NodeProfile itself: a change of it has the
// check asked again.
type Needs struct {
	// Labels, Annotations and Conditions are those of the node.
	Labels, Annotations, Conditions []string
	// Node is anything of the node.
	Node bool
	// AnyNode is whether a node of the cluster has a label.
	AnyNode *v1beta1.KeyValueCheck
	// Version is the highest version in the cluster.
	Version *v1beta1.ClusterVersionCheck
	// Nodes is whether the cluster has so many nodes, and Operational whether the profile is Operational on so many.
	Nodes, Operational int32
	// Ledger is what the ledger says.
	Ledger bool
	// Answer is what others answer, and Pods what is known of pods. Both cost something as long as they are kept up to date.
	Answer, Pods bool
}

// check is a check of a profile that can be asked as often as needed.
type check interface {
	asker
	needs() Needs
}

// asker says the result of a check.
type asker interface {
	// ask returns the result, without the name. It changes nothing.
	ask(q question) CheckResult
}

// lazy is a check that is compiled when it is asked for the first time. Admission has refused what is wrong, but a newer
// version may have stored what this one does not know.
type lazy struct {
	depends Needs
	compile func() (asker, error)
}

func compiled[T any](depends Needs, spec *T, compile func(*T) (asker, error)) lazy {
	return lazy{depends, sync.OnceValues(func() (asker, error) { return compile(spec) })}
}

func (l lazy) needs() Needs { return l.depends }

func (l lazy) ask(q question) CheckResult {
	made, err := l.compile()
	if err != nil {
		return failed("the check cannot be applied: %v", err)
	}
	return made.ask(q)
}
