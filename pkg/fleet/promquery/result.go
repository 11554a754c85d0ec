// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"fmt"
	"math"

	"github.com/prometheus/common/model"
)

// missing says why the result is not one that passes; empty: it passes. It is to be a number, or a vector that is not
// empty, as that of an alert. The numbers may be any, 0 too, but not NaN.
func missing(result model.Value) string {
	switch r := result.(type) {
	case *model.Scalar:
		if isNaN(r.Value) {
			return notANumber
		}
		return ""
	case model.Vector:
		return missingIn(r)
	default:
		return wrongType(result)
	}
}

const notANumber = "the result of the query is NaN"

func wrongType(result model.Value) string {
	return fmt.Sprintf("the result of the query is of type %s: it must be an instant vector or a scalar", result.Type())
}

func missingIn(vector model.Vector) string {
	for _, sample := range vector {
		if isNaN(sample.Value) {
			return "the result of the query has NaN"
		}
	}
	if len(vector) == 0 {
		return "the query has no result"
	}
	return ""
}

func isNaN(value model.SampleValue) bool { return math.IsNaN(float64(value)) }
