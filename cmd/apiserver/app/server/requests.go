// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// makeRequestsEnd changes config so that cutOff cancels the server's requests in flight.
// The library lets them continue for up to a minute, so a request that waits for a slow
// admission webhook would delay the shutdown.
func makeRequestsEnd(config *genericapiserver.Config) (cutOff context.CancelFunc) {
	over, cutOff := context.WithCancel(context.Background())
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(apiHandler http.Handler, c *genericapiserver.Config) http.Handler {
		return endWith(over, build(apiHandler, c))
	}
	return cutOff
}

// endWith cancels every request that is still in flight when over ends.
func endWith(over context.Context, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		defer context.AfterFunc(over, cancel)()
		handler.ServeHTTP(w, req.WithContext(ctx))
	})
}
