// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"net/http"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

func TestPrometheus(t *testing.T) {
	hangs := func(_ http.ResponseWriter, in *http.Request) {
		_ = in.ParseForm() // only then it notices that the client has gone
		<-in.Context().Done()
	}
	tests := map[string]struct {
		answer      http.HandlerFunc
		expression  string
		wantResult  evaluation.Result
		wantMessage string
	}{
		"a vector":          {answer: says(200, vector("0.25")), expression: "value < 0.5", wantResult: evaluation.True, wantMessage: "the expression is true: the value is 0.25"},
		"a scalar":          {answer: says(200, result("scalar", `[1700000000.1,"7"]`)), expression: "value < 0.5", wantResult: evaluation.False, wantMessage: "the expression is false: the value is 7"},
		"a whole number":    {answer: says(200, vector("1")), expression: "value == 1", wantResult: evaluation.True},
		"infinite":          {answer: says(200, vector("+Inf")), expression: "value > 1e9", wantResult: evaluation.True, wantMessage: "+Inf"},
		"an empty vector":   {answer: says(200, vector()), wantResult: evaluation.Error, wantMessage: "has 0 elements: it must have one"},
		"two elements":      {answer: says(200, vector("1", "2")), wantResult: evaluation.Error, wantMessage: "has 2 elements: it must have one"},
		"NaN":               {answer: says(200, vector("NaN")), expression: "!(value > 1)", wantResult: evaluation.Error, wantMessage: "the result of the query is NaN"},
		"a scalar NaN":      {answer: says(200, result("scalar", `[1,"NaN"]`)), wantResult: evaluation.Error, wantMessage: "the result of the query is NaN"},
		"a histogram":       {answer: says(200, result("vector", `[{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]`)), expression: "value == 0", wantResult: evaluation.Error, wantMessage: "histogram"},
		"a range":           {answer: says(200, result("matrix", `[{"metric":{},"values":[[1,"1"]]}]`)), wantResult: evaluation.Error, wantMessage: "of type matrix"},
		"a warning":         {answer: says(200, strings.Replace(vector("1"), "{", `{"warnings":["w"],`, 1)), wantResult: evaluation.Error, wantMessage: "answered with a warning"},
		"a bad query":       {answer: says(400, `{"status":"error","errorType":"bad_data","error":"parse error: s3cret"}`), wantResult: evaluation.Error, wantMessage: "Prometheus does not accept the query: parse error: ***"},
		"a server error":    {answer: says(500, "<html>oops"), wantResult: evaluation.Error, wantMessage: "server error: 500"},
		"no JSON":           {answer: says(200, "<html>"), wantResult: evaluation.Error, wantMessage: "could not be read"},
		"a redirect":        {answer: http.RedirectHandler("https://login.example.com/", http.StatusFound).ServeHTTP, wantResult: evaluation.Error, wantMessage: "it has the HTTP status 302"},
		"huge":              {answer: says(200, result("vector", "["+strings.Repeat(" ", 2<<20)+"]")), wantResult: evaluation.Error, wantMessage: "too large"},
		"broken off":        {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, wantResult: evaluation.Error, wantMessage: "endpoint prometheus: it closed the connection"},
		"slow":              {answer: hangs, wantResult: evaluation.Error, wantMessage: "endpoint prometheus: it did not answer in time"},
		"no bool":           {answer: says(200, vector("1")), expression: "dyn(value)", wantResult: evaluation.Error, wantMessage: "must be true or false"},
		"no value":          {answer: says(200, vector("1")), expression: "value.a == 1", wantResult: evaluation.Error, wantMessage: "the expression has no value: "},
		"a bad expression":  {answer: says(200, vector("1")), expression: "value <", wantResult: evaluation.Error, wantMessage: "the expression cannot be used: "},
		"SAP's operators":   {answer: says(200, vector("4")), expression: "value > 3 && value < 5 ? true : false", wantResult: evaluation.True},
		"integers and 1e10": {answer: says(200, vector("1e10")), expression: "value >= 10000000000", wantResult: evaluation.True, wantMessage: "1e+10"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, test.answer, func(w *world) {
				if test.expression == "" {
					test.expression = "value > 0"
				}
				wantAnswer(t, w.answer(prometheusCheck("max(up)", test.expression)), test.wantResult, test.wantMessage)
			})
		})
	}
}

// The check prometheusInstant of SAP's controller has no timeout, follows redirects, and lets "!(value > 1)" pass with
// NaN. A server that it cannot reach stops all profiles of the node.
func TestSAPPrometheusInstant(t *testing.T) {
	answer := func(out http.ResponseWriter, in *http.Request) {
		switch in.FormValue("query") {
		case "hangs":
			<-in.Context().Done()
		case "nan":
			says(200, vector("NaN"))(out, in)
		default:
			says(200, vector("1"))(out, in)
		}
	}
	inBubble(t, answer, func(w *world) {
		facts := w.want(factsOf("n1", prometheusCheck("up", "value == 1"), prometheusCheck("hangs", "value == 1"),
			prometheusCheck("nan", "!(value > 1)")))
		w.sleep(callTimeout + 1)
		answers := w.asker.Answers(facts)
		wantAnswer(t, answers["c"], evaluation.True, "the value is 1")
		wantAnswer(t, answers["cc"], evaluation.Error, "did not answer in time")
		wantAnswer(t, answers["ccc"], evaluation.Error, "NaN")
	})
}
