// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// judge says what an expression makes of what was found. clean takes what is secret out of an error, which may quote the
// input.
func judge(
	ctx context.Context, environment *expression.Environment[bool], source string, found answered, clean func(error) error,
) evaluation.Answer {
	program, err := environment.Compile(source)
	if err != nil {
		return failed("the expression cannot be used: %v", err)
	}
	value, err := program.Evaluate(ctx, found.input)
	if err != nil {
		return failed("the expression has no value: %v; %s", clean(err), found.said)
	}
	result := evaluation.False
	if value {
		result = evaluation.True
	}
	return evaluation.Answer{
		Result: result, Message: sentence("the expression is %t: %s", value, found.said), Info: found.info,
	}
}

func failed(format string, args ...any) evaluation.Answer {
	return evaluation.Answer{Result: evaluation.Error, Message: sentence(format, args...)}
}

func sentence(format string, args ...any) string {
	return quote.Cut(fmt.Sprintf(format, args...), v1beta1.MaxProfileMessageBytes)
}
