// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fieldValidation is the query parameter that says what becomes of unknown and duplicate fields.
const fieldValidation = "fieldValidation"

// refuseUnknownFields changes config so that a write of this API with a field that is unknown or given
// twice is refused. A client can ask for Warn or Ignore. The library's default is Warn, and a client
// that shows no warnings would drain more than its user meant if it misspells a selector.
func refuseUnknownFields(config *genericapiserver.Config) {
	wrapAPI(config, withStrictFields)
}

func withStrictFields(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if query := req.URL.Query(); writesFields(req) && query.Get(fieldValidation) == "" {
			query.Set(fieldValidation, metav1.FieldValidationStrict)
			req = withQuery(req, query)
		}
		handler.ServeHTTP(w, req)
	})
}

// writesFields says whether the request writes an object of this API.
func writesFields(req *http.Request) bool {
	info, found := genericapirequest.RequestInfoFrom(req.Context())
	if !found || info.APIGroup != v1beta1.GroupName {
		return false
	}
	return req.Method == http.MethodPost || req.Method == http.MethodPut || req.Method == http.MethodPatch
}

func withQuery(req *http.Request, query url.Values) *http.Request {
	changed, address := *req, *req.URL
	address.RawQuery = query.Encode()
	changed.URL = &address
	return &changed
}
