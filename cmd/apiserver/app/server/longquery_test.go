// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLongQueriesAreRefused(t *testing.T) {
	for length, want := range map[int]int{0: http.StatusOK, maxQueryBytes: http.StatusOK, maxQueryBytes + 1: http.StatusRequestURITooLong} {
		answer := httptest.NewRecorder()
		handler := withShortQueries(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/apis?"+strings.Repeat("x", length), nil))
		if answer.Code != want {
			t.Errorf("a query of %d bytes is answered with %d, want %d", length, answer.Code, want)
		}
	}
}
