// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// Work that does not end must not cut off the requests in flight: the generic server would, if the hook failed.
func TestShutDownGoesOnWithoutWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 10 * time.Second
		release := make(chan struct{})
		s := &Server{
			generic:     &genericapiserver.GenericAPIServer{ShutdownDelayDuration: delay},
			stopLeading: func() {}, stopWork: func() {}, shutdown: ShutdownConfig{RequestsGracePeriod: time.Minute},
		}
		s.requests = requestEnds{closeConnections: func() {}, cutOff: func() {}}
		s.work.Go(func() { <-release })
		began := time.Now()
		if err := s.shutDown(); err != nil {
			t.Errorf("the hook fails: %v", err)
		}
		if took := time.Since(began); took != delay+workStopTimeout {
			t.Errorf("it takes %s, want %s", took, delay+workStopTimeout)
		}
		if err := s.waitForWork(); err == nil || !strings.Contains(err.Error(), "did not stop within 4s") {
			t.Errorf("Run reports %v", err)
		}
		close(release)
		synctest.Wait()
	})
}
