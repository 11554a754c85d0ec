// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// nodeAnnotation asks for an annotation of the node.
type nodeAnnotation struct{ *v1beta1.KeyValueCheck }

func (c nodeAnnotation) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	return hasValue("annotation", q.Node.Annotations, c.KeyValueCheck)
}

// nodeLabel asks for a label of the node.
type nodeLabel struct{ *v1beta1.KeyValueCheck }

func (c nodeLabel) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	return hasValue("label", q.Node.Labels, c.KeyValueCheck)
}

// hasValue says whether a map has a key, with the value unless any will do.
func hasValue(what string, values map[string]string, c *v1beta1.KeyValueCheck) CheckResult {
	value, found := values[c.Key]
	switch {
	case !found:
		return is(false, "%s %s is not set", what, c.Key)
	case c.Value != nil && value != *c.Value:
		return is(false, "%s %s is %s, not %s", what, c.Key, quoted(value), quoted(*c.Value))
	}
	return is(true, "%s %s is %s", what, c.Key, quoted(value))
}

// anyNode asks for a label of any node of the cluster.
type anyNode struct{ *v1beta1.KeyValueCheck }

func (c anyNode) ask(q question) CheckResult {
	with := "label " + c.Key
	if c.Value != nil {
		with += "=" + quoted(*c.Value)
	}
	node, found := q.Cluster.AnyNode(c.Key, c.Value)
	if !found {
		return is(false, "no node has %s", with)
	}
	return is(true, "node %s has %s", node, with).with("node", node)
}
