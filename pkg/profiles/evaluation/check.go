// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"errors"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// check is a check of a profile, made ready to be asked as often as needed.
type check interface {
	// ask returns the result, without the name. It changes nothing.
	ask(q question) CheckResult
}

// question is what a check is asked about.
type question struct {
	*Facts
	// name is that of the check.
	name string
	// transition is the one that asks. Only approvals depend on it.
	transition string
	// nodeValue makes a value for expressions of the node, once for all of them.
	nodeValue func() (map[string]any, error)
	// budget is what all expressions of the evaluation may use together.
	budget *expression.Budget
}

// newCheck makes a check ready, or says what is wrong with it. Admission has refused what is wrong, but a newer version
// may have stored what this one does not know.
func newCheck(c *v1beta1.ProfileCheck) (check, error) {
	switch {
	case c.Node != nil:
		return newNodeExpression(c.Node)
	case c.TimeWindow != nil:
		return newTimeWindow(c.TimeWindow)
	case c.Wait != nil:
		return newWait(c.Wait)
	}
	if native := nativeCheck(c); native != nil {
		return native, nil
	}
	if isExternal(c) {
		return answered{}, nil
	}
	return nil, errors.New("it is of a kind that this server does not know")
}

// nativeCheck returns the checks that need not be made ready; nil for others.
func nativeCheck(c *v1beta1.ProfileCheck) check {
	switch {
	case c.NodeAnnotation != nil:
		return nodeAnnotation{c.NodeAnnotation}
	case c.NodeLabel != nil:
		return nodeLabel{c.NodeLabel}
	case c.AnyNode != nil:
		return anyNode{c.AnyNode}
	case c.NodeCondition != nil:
		return nodeCondition{c.NodeCondition}
	case c.NodeCount != nil:
		return nodeCount{c.NodeCount}
	case c.ClusterVersion != nil:
		return clusterVersion{c.ClusterVersion}
	case c.PodAffinity != nil:
		return podAffinity{c.PodAffinity}
	case c.MaxInMaintenance != nil:
		return maxInMaintenance{c.MaxInMaintenance}
	case c.Stagger != nil:
		return stagger{c.Stagger}
	case c.Approval != nil:
		return approval{c.Approval}
	}
	return nil
}

// isExternal says whether somebody else answers the check.
func isExternal(c *v1beta1.ProfileCheck) bool {
	return c.Prometheus != nil || c.HTTP != nil || c.Object != nil
}

// isWanted says whether the check costs something as long as its answer is kept up to date.
func isWanted(c *v1beta1.ProfileCheck) bool {
	return isExternal(c) || c.PodAffinity != nil
}

// broken is a check that could not be made ready.
type broken struct{ err error }

func (b broken) ask(question) CheckResult { return failed("the check cannot be applied: %v", b.err) }

// is returns True or False, and why.
func is(passes bool, format string, args ...any) CheckResult {
	result := False
	if passes {
		result = True
	}
	return CheckResult{Result: result, Message: sentence(format, args...)}
}

// failed returns an Error, and why.
func failed(format string, args ...any) CheckResult {
	return CheckResult{Result: Error, Message: sentence(format, args...)}
}

// unknown says what is missing for an answer.
func unknown(format string, args ...any) CheckResult {
	return CheckResult{Result: Unknown, Message: sentence(format, args...)}
}

// noNode is the answer of checks that need the node while it does not exist.
func noNode(q question) CheckResult {
	return failed("node %s does not exist", q.nodeName())
}

// nodeName is the name of the node, even if it does not exist.
func (f *Facts) nodeName() string { return f.NodeProfile.Spec.NodeName }

// state is the state that the profile is in. A NodeProfile whose status was not written yet is Operational.
func (f *Facts) state() v1beta1.ProfileState {
	if state := f.NodeProfile.Status.State; state != "" {
		return state
	}
	return v1beta1.ProfileOperational
}

// with adds what the result was made from.
func (r CheckResult) with(key string, value any) CheckResult {
	if r.Info == nil {
		r.Info = map[string]string{}
	}
	r.Info[key] = fmt.Sprint(value)
	return r
}
