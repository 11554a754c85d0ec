// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

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
