// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// AnswerError is the reason why an answer of Prometheus is not the number that was asked for. Its text is the same for as long as it
// is the same problem, and says nothing of the server's address.
type AnswerError string

// Error implements error.
func (e AnswerError) Error() string { return string(e) }

// Number asks the server at that address, with a client that others have made ready, for a query whose result is one
// number: a scalar, or a vector with one element. Else, and if the server refuses the query or warns, the error is a
// AnswerError. Other errors are those of the client.
func Number(ctx context.Context, address string, client *http.Client, query string) (float64, error) {
	server, err := api.NewClient(api.Config{Address: address, Client: client})
	if err != nil {
		return 0, err
	}
	result, warnings, err := prometheusv1.NewAPI(server).Query(ctx, query, time.Time{})
	var refused *prometheusv1.Error
	switch {
	case errors.As(err, &refused):
		return 0, AnswerError(refusal(refused))
	case err != nil:
		return 0, err
	case len(warnings) > 0:
		return 0, AnswerError(incomplete)
	}
	return number(result)
}

func number(result model.Value) (float64, error) {
	var value model.SampleValue
	switch r := result.(type) {
	case *model.Scalar:
		value = r.Value
	case model.Vector:
		if len(r) != 1 {
			return 0, AnswerError(fmt.Sprintf("the result of the query has %d elements: it must have one", len(r)))
		}
		if r[0].Histogram != nil {
			return 0, AnswerError("the result of the query is a histogram: it must be a number")
		}
		value = r[0].Value
	default:
		return 0, AnswerError(wrongType(result))
	}
	if isNaN(value) {
		return 0, AnswerError(notANumber)
	}
	return float64(value), nil
}
