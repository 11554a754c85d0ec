// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"time"
)

const (
	// workStopTimeout is how long the drainer may take to stop at shutdown. The drainer waits
	// for its evictions, and cancels its other requests.
	workStopTimeout = 4 * time.Second
	// connectionsLag is how long net/http takes to close connections after their last request: it
	// waits a second for what a client may still send.
	connectionsLag = 2 * time.Second
)

// ShutdownConfig is how the server shuts down, besides what the generic configuration says of it.
type ShutdownConfig struct {
	// RequestsGracePeriod is how long requests in flight may take to end, before they are canceled,
	// once new ones are refused. Watches have a time of their own in the generic configuration.
	RequestsGracePeriod time.Duration
}

// shutDown runs as soon as the server is to end, beside the delay in which the API goes on
// serving although /readyz fails. The API refuses requests only after shutDown has returned, since
// the drainer still sends requests to it.
//
//	at once          the drainer stops to lead, so that another replica goes on; each answer closes its connection
//	after the delay  caches and the rest of the work end; requests in flight get a last time
func (s *Server) shutDown() error {
	s.stopLeading()
	s.requests.closeConnections()
	pause(s.generic.ShutdownDelayDuration)
	err := s.waitForWork()
	time.AfterFunc(s.shutdown.RequestsGracePeriod, s.requests.cutOff)
	return err
}

func pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
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
