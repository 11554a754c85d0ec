// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// link is a part of a chain: a check, or an operator with its operands.
type link struct {
	// check is the name of a check; empty for an operator.
	check string
	// not says that the operator is "!". It has one operand.
	not bool
	// decides is the result with which one operand decides alone: False for "&&", True for "||".
	decides  Result
	operands []link
}

func (l link) names(before []string) []string {
	if l.check != "" {
		return append(before, l.check)
	}
	for _, operand := range l.operands {
		before = operand.names(before)
	}
	return before
}

// evaluate returns the result, and the checks that decide it.
func (l link) evaluate(results Results) (Result, []string) {
	switch {
	case l.check != "":
		return oneOfFour(results(l.check)), []string{l.check}
	case l.not:
		result, deciding := l.operands[0].evaluate(results)
		return negated(result), deciding
	default:
		return l.combine(results)
	}
}

// combine takes the first operand that decides alone, or else all that have the result that weighs most.
func (l link) combine(results Results) (result Result, deciding []string) {
	for i, operand := range l.operands {
		one, by := operand.evaluate(results)
		switch {
		case one == l.decides:
			return one, by
		case i == 0 || weight(one) > weight(result):
			result, deciding = one, by
		case one == result:
			deciding = append(deciding, by...)
		}
	}
	return result, deciding
}

// wants adds the checks that are not known, but for those whose part of the chain is known without them.
func (l link) wants(results Results, before []string) []string {
	if result, _ := l.evaluate(results); known(result) {
		return before
	}
	if l.check != "" {
		return append(before, l.check)
	}
	for _, operand := range l.operands {
		before = operand.wants(results, before)
	}
	return before
}

func known(result Result) bool {
	return result == v1beta1.CheckTrue || result == v1beta1.CheckFalse
}

// weight orders the results that no operand has overruled.
func weight(result Result) int {
	switch result {
	case v1beta1.CheckError:
		return 2
	case v1beta1.CheckUnknown:
		return 1
	default:
		return 0
	}
}

func negated(result Result) Result {
	switch result {
	case v1beta1.CheckTrue:
		return v1beta1.CheckFalse
	case v1beta1.CheckFalse:
		return v1beta1.CheckTrue
	default:
		return result
	}
}

// oneOfFour takes a result that a newer version may know for one that is not known yet.
func oneOfFour(result Result) Result {
	if known(result) || result == v1beta1.CheckError {
		return result
	}
	return v1beta1.CheckUnknown
}
