// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

func TestFieldValidation(t *testing.T) {
	const own, another = "maintenance.medik8s.io", "example.com"
	tests := map[string]struct {
		method, group, query string
		want                 string
	}{
		"create":            {method: http.MethodPost, group: own, want: "fieldValidation=Strict"},
		"update":            {method: http.MethodPut, group: own, query: "dryRun=All", want: "dryRun=All&fieldValidation=Strict"},
		"patch":             {method: http.MethodPatch, group: own, query: "fieldValidation=", want: "fieldValidation=Strict"},
		"asked for":         {method: http.MethodPost, group: own, query: "fieldValidation=Ignore", want: "fieldValidation=Ignore"},
		"read":              {method: http.MethodGet, group: own, query: "limit=1", want: "limit=1"},
		"delete":            {method: http.MethodDelete, group: own},
		"of another group":  {method: http.MethodPost, group: another},
		"of an old group":   {method: http.MethodPost, group: "nodemaintenance.medik8s.io"},
		"no request of API": {method: http.MethodPost},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			config := &genericapiserver.Config{
				BuildHandlerChainFunc: func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler },
			}
			refuseUnknownFields(config)
			var got string
			handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
				got = req.URL.RawQuery
			}), config)
			request := httptest.NewRequestWithContext(t.Context(), test.method, "/?"+test.query, http.NoBody)
			ctx := genericapirequest.WithRequestInfo(request.Context(), &genericapirequest.RequestInfo{APIGroup: test.group})
			handler.ServeHTTP(httptest.NewRecorder(), request.WithContext(ctx))
			if got != test.want || request.URL.RawQuery != test.query {
				t.Errorf("the handler gets the query %q, want %q", got, test.want)
			}
		})
	}
}
