// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// maxQueryBytes is more than any client needs for its selectors and its place in a list. The library's
// time to refuse a selector grows with the square of its wrong values: 600 KiB of them took 30 seconds.
const maxQueryBytes = 32 << 10

// refuseLongQueries changes config so that a request whose query is too long is refused before anything
// reads it.
func refuseLongQueries(config *genericapiserver.Config) {
	wrapAll(config, withShortQueries)
}

func withShortQueries(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if length := len(req.URL.RawQuery); length > maxQueryBytes {
			http.Error(w, fmt.Sprintf("the query of the request has %d bytes, and may have %d", length, maxQueryBytes), http.StatusRequestURITooLong)
			return
		}
		handler.ServeHTTP(w, req)
	})
}
