// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNumber(t *testing.T) {
	const one = `[{"metric":{},"value":[1,"2.5"]}]`
	tests := map[string]struct {
		answer      http.HandlerFunc
		want        float64
		wantProblem string
	}{
		"a vector with one element": {answer: says(200, success("vector", one)), want: 2.5},
		"a scalar":                  {answer: says(200, success("scalar", `[1,"-1e3"]`)), want: -1000},
		"an empty vector":           {answer: says(200, success("vector", `[]`)), wantProblem: "the result of the query has 0 elements: it must have one"},
		"two elements":              {answer: says(200, success("vector", `[{"metric":{},"value":[1,"1"]},{"metric":{"a":"b"},"value":[1,"1"]}]`)), wantProblem: "the result of the query has 2 elements: it must have one"},
		"NaN":                       {answer: says(200, success("scalar", `[1,"NaN"]`)), wantProblem: notANumber},
		"a histogram":               {answer: says(200, success("vector", `[{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]`)), wantProblem: "the result of the query is a histogram: it must be a number"},
		"a range":                   {answer: says(200, success("matrix", `[]`)), wantProblem: "the result of the query is of type matrix: it must be an instant vector or a scalar"},
		"a warning":                 {answer: says(200, `{"warnings":["w"],"status":"success","data":{"resultType":"vector","result":`+one+`}}`), wantProblem: incomplete},
		"a bad query":               {answer: says(400, `{"status":"error","errorType":"bad_data","error":"oops"}`), wantProblem: "Prometheus does not accept the query: oops"},
		"a redirect":                {answer: says(302, ""), wantProblem: noAnswer + "it has the HTTP status 302"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.answer)
			defer server.Close()
			got, err := Number(t.Context(), server.URL, server.Client(), query)
			var problem AnswerError
			if errors.As(err, &problem); got != test.want || string(problem) != test.wantProblem || (err != nil) != (problem != "") {
				t.Errorf("%v (error %v), want %v (problem %q)", got, err, test.want, test.wantProblem)
			}
		})
	}
}

// Errors of the client are for those who have made it.
func TestNumberWithoutAnAnswer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Number(t.Context(), server.URL, server.Client(), query)
	if problem := AnswerError(""); err == nil || errors.As(err, &problem) {
		t.Errorf("error %v, want that of the client", err)
	}
}
