// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"net/http"
	"sync"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/admitter"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
)

// Server is the API server, with the drainer and the keeper of its certificate, which run in
// the background.
type Server struct {
	generic  *genericapiserver.GenericAPIServer
	drainer  *drainer.Drainer
	admitter *admitter.Admitter
	profiles *engine.Engine
	// endpoints are the servers that profiles call.
	endpoints *endpoints
	keeper    *servingcert.Keeper
	// leadership is nil if the server leads all the time.
	leadership *leadership.Elector
	legacy     legacyGroups
	// mirrors are nil without --sap-mirrors.
	mirrors *mirrors

	work sync.WaitGroup
	// stopLeading ends what only one process of all may do; stopWork ends the rest too.
	stopLeading, stopWork context.CancelFunc

	shutdown ShutdownConfig
	requests requestEnds
}

// Run serves until ctx ends. Then the server shuts down, as shutDown says, and Run returns.
func (s *Server) Run(ctx context.Context) error {
	defer s.requests.cutOff()
	err := s.generic.PrepareRun().RunWithContext(ctx)
	// The pre-shutdown hook has already done this, unless the server never began to serve.
	s.stopLeading()
	return errors.Join(err, s.waitForWork())
}

// addHooks starts and stops the background work with the API server. The work has its own
// contexts. The context of a post-start hook ends only after every pre-shutdown hook has
// returned, so a pre-shutdown hook that waited for work with that context would wait
// forever.
func (s *Server) addHooks() error {
	ctx, stop := context.WithCancel(context.Background())
	leading, stopLeading := context.WithCancel(ctx)
	s.stopWork, s.stopLeading = stop, stopLeading

	return errors.Join(
		s.generic.AddPostStartHook("start-drainer", func(genericapiserver.PostStartHookContext) error {
			s.work.Go(func() { s.drainer.Run(ctx, leading) })
			s.work.Go(func() { s.admitter.Watch(ctx) })
			s.work.Go(func() { s.profiles.Watch(ctx) })
			s.work.Go(func() { s.endpoints.watch(ctx) })
			s.work.Go(func() { s.mirrors.watch(ctx) })
			return nil
		}),
		s.generic.AddPostStartHook("keep-serving-certificate", func(genericapiserver.PostStartHookContext) error {
			if s.keeper != nil {
				s.work.Go(func() { s.keeper.Run(ctx) })
			}
			return nil
		}),
		s.generic.AddPostStartHook("check-legacy-groups", func(genericapiserver.PostStartHookContext) error {
			s.work.Go(func() { s.legacy.checkAll(ctx) })
			return nil
		}),
		s.generic.AddPreShutdownHook("shut-down", s.shutDown),
		s.generic.AddReadyzChecks(healthz.NamedCheck("drainer-ready", func(*http.Request) error {
			return s.drainer.Ready()
		})),
		s.generic.AddLivezChecks(0, healthz.NamedCheck("drainer-alive", func(*http.Request) error {
			return s.drainer.Healthy()
		})),
		s.generic.AddLivezChecks(0, healthz.NamedCheck("policies-decided", func(*http.Request) error {
			return s.admitter.Healthy()
		})),
		s.generic.AddLivezChecks(0, healthz.NamedCheck("leadership-ends", func(*http.Request) error {
			return s.leadership.Healthy()
		})),
	)
}
