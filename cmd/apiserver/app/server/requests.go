// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// requestEnds are what ends requests and connections at shutdown.
type requestEnds struct {
	// closeConnections has each answer by HTTP/1 from now on close its connection, so that the client
	// takes another one. No request is lost by that.
	closeConnections context.CancelFunc
	// cutOff cancels the requests in flight.
	cutOff context.CancelFunc
}

// makeRequestsEnd changes config so that what it returns has an effect on the server's requests.
// The library lets requests in flight continue for up to --request-timeout, so that one that
// waits for a slow admission webhook would delay the shutdown. It also keeps connections open until
// the last moment, at which a request may be on its way on each of them.
//
// Connections by HTTP/2 are left alone. To close one is to send GOAWAY, which drops the requests that are
// on their way just then. Most clients send these again; the aggregator cannot if they have a body.
func makeRequestsEnd(config *genericapiserver.Config) requestEnds {
	leaving, closeConnections := context.WithCancel(context.Background())
	over, cutOff := context.WithCancel(context.Background())
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(apiHandler http.Handler, c *genericapiserver.Config) http.Handler {
		return closeConnectionAfter(leaving, endWith(over, build(closeConnectionOfWatches(apiHandler), c)))
	}
	return requestEnds{closeConnections: closeConnections, cutOff: cutOff}
}

// closeConnectionAfter has answers by HTTP/1 close their connections once leaving has ended.
func closeConnectionAfter(leaving context.Context, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.ProtoMajor == 1 && leaving.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, req)
	})
}

// closeConnectionOfWatches has each watch by HTTP/1 close its connection when it ends. At shutdown all watches end
// at once. Otherwise clients would take their connections for the next requests, just when the server closes
// them.
func closeConnectionOfWatches(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if info, found := request.RequestInfoFrom(req.Context()); found && info.Verb == "watch" && req.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, req)
	})
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
