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

// workStopTimeout bounds the wait for the drainer at shutdown, which waits for its
// evictions and gives up on its other requests.
const workStopTimeout = 4 * time.Second

// Server is the API server and the work that goes on beside it.
type Server struct {
	generic   *genericapiserver.GenericAPIServer
	drainer   *drainer.Drainer
	publisher *servingcert.Publisher

	work     sync.WaitGroup
	stopWork context.CancelFunc

	cutOffRequests context.CancelFunc
}

// Run serves until ctx ends; then the drainer stops, requests under way end, and
// Run returns.
func (s *Server) Run(ctx context.Context) error {
	defer s.cutOffRequests()
	err := s.generic.PrepareRun().RunWithContext(ctx)
	// The pre-shutdown hook has done this already, unless serving never began.
	return errors.Join(err, s.waitForWork())
}

// addHooks ties the work to the API server's life. The work has a context of its
// own: a hook's ends only after every pre-shutdown hook has returned, so that one
// which waits for work tied to it would wait for ever.
func (s *Server) addHooks() error {
	ctx, stop := context.WithCancel(context.Background())
	s.stopWork = stop

	return errors.Join(
		s.generic.AddPostStartHook("start-drainer", func(genericapiserver.PostStartHookContext) error {
			s.work.Go(func() { s.drainer.Run(ctx) })
			return nil
		}),
		s.generic.AddPostStartHook("publish-serving-certificate", func(genericapiserver.PostStartHookContext) error {
			if s.publisher != nil {
				s.work.Go(func() { s.publisher.Run(ctx) })
			}
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

// stopDrainer is what happens before requests are refused, for the drainer's own
// come through this server. Those under way then have some time left.
func (s *Server) stopDrainer() error {
	err := s.waitForWork()
	time.AfterFunc(requestsDrainTimeout, s.cutOffRequests)
	return err
}

// waitForWork stops the work and waits until it has ended.
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
