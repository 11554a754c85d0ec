// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// wrapAPI changes config so that wrap comes between the library's handlers, which find out who asks for
// what, and the API.
func wrapAPI(config *genericapiserver.Config, wrap func(http.Handler) http.Handler) {
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(apiHandler http.Handler, c *genericapiserver.Config) http.Handler {
		return build(wrap(apiHandler), c)
	}
}

// wrapAll changes config so that wrap comes before all of the library's handlers.
func wrapAll(config *genericapiserver.Config, wrap func(http.Handler) http.Handler) {
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(apiHandler http.Handler, c *genericapiserver.Config) http.Handler {
		return wrap(build(apiHandler, c))
	}
}
