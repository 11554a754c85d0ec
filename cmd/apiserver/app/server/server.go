// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// workStopTimeout is how long the drainer may take to stop at shutdown. The drainer waits
// for its evictions, and cancels its other requests.
const workStopTimeout = 4 * time.Second

// Server is the API server, with the drainer and the keeper of its certificate, which run in
// the background.
type Server struct {
	generic *genericapiserver.GenericAPIServer
	drainer *drainer.Drainer
	keeper  *servingcert.Keeper
	legacy  legacyGroups

	work     sync.WaitGroup
	stopWork context.CancelFunc

	cutOffRequests context.CancelFunc
}

// Run serves until ctx ends. Then the drainer stops, requests in flight end, and Run
// returns.
func (s *Server) Run(ctx context.Context) error {
	defer s.cutOffRequests()
	err := s.generic.PrepareRun().RunWithContext(ctx)
	// The pre-shutdown hook has already done this, unless the server never began to serve.
	return errors.Join(err, s.waitForWork())
}

// addHooks starts and stops the background work with the API server. The work has its own
// context. The context of a post-start hook ends only after every pre-shutdown hook has
// returned, so a pre-shutdown hook that waited for work with that context would wait
// forever.
func (s *Server) addHooks() error {
	ctx, stop := context.WithCancel(context.Background())
	s.stopWork = stop

	return errors.Join(
		s.generic.AddPostStartHook("start-drainer", func(genericapiserver.PostStartHookContext) error {
			s.work.Go(func() { s.drainer.Run(ctx) })
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
		s.generic.AddPreShutdownHook("stop-drainer", s.stopDrainer),
		s.generic.AddReadyzChecks(healthz.NamedCheck("drainer-ready", func(*http.Request) error {
			return s.drainer.Ready()
		})),
		s.generic.AddLivezChecks(0, healthz.NamedCheck("drainer-alive", func(*http.Request) error {
			return s.drainer.Healthy()
		})),
	)
}

// stopDrainer runs before the server refuses requests, since the drainer still sends
// requests to it. Requests that are then in flight have requestsDrainTimeout to end.
func (s *Server) stopDrainer() error {
	err := s.waitForWork()
	time.AfterFunc(requestsDrainTimeout, s.cutOffRequests)
	return err
}

// waitForWork stops the background work and waits until it has ended.
func (s *Server) waitForWork() error {
	s.stopWork()
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		close(ended)
	}()
	timer := time.NewTimer(workStopTimeout)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("the drainer did not stop within %s", workStopTimeout)
	}
}
