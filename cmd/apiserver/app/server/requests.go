// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"net/http"
)

// cutOffWith ends the requests that are under way when over ends. The library
// lets them go on for up to a minute: one that waits for a slow admission webhook
// would hold up the server's stop.
func cutOffWith(over context.Context, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		defer context.AfterFunc(over, cancel)()
		handler.ServeHTTP(w, req.WithContext(ctx))
	})
}
