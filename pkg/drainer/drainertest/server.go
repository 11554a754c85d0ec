// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// Server is a simulated API server behind fake clientsets. Unlike these alone it gives objects
// resource versions, refuses stale writes, evaluates field selectors, keeps spec and status apart,
// lets finalizers keep objects, deletes pods gracefully, evicts as kube-apiserver does, and loses
// nothing between a list and the watch that goes on from it.
type Server struct {
	// Kube and Maintenance are clients of the server.
	Kube        *kubefake.Clientset
	Maintenance *maintenancefake.Clientset
	// Store holds what the server serves. Use it under the lock only: see Locked.
	Store *Store

	hooks Hooks
	// mu is held while the server works and while hooks and faults are called.
	mu     sync.Mutex
	faults []Fault
	// refusals answer the eviction of a pod by name.
	refusals     map[string]error
	evictions    map[types.UID]int
	statusWrites map[string][]time.Time
}

// Hooks let a test watch the server at work. Each may be nil. But for Lag they are called under the
// server's lock, and so must not make requests.
type Hooks struct {
	// Changed is told of every change of an object, whoever made it. Before is nil for a new object,
	// after for one that is gone.
	Changed func(before, after Object)
	// Served is told of every list, update and patch that a client has had carried out: with the
	// object before it, nil for a list, and the answer.
	Served func(action clienttesting.Action, before Object, answer runtime.Object)
	// Lag is how long the watches take to deliver the change of that resource version. It is called
	// from many goroutines. Default: no time.
	Lag func(version int) time.Duration
}

// NewServer starts a server that has nothing yet.
func NewServer(hooks Hooks) *Server {
	s := &Server{
		Store: newStore(hooks.Changed), hooks: hooks,
		refusals: map[string]error{}, evictions: map[types.UID]int{}, statusWrites: map[string][]time.Time{},
	}
	s.Kube, s.Maintenance = s.Clients()
	return s
}

// Clients returns further clients of the server, for one more process.
func (s *Server) Clients() (*kubefake.Clientset, *maintenancefake.Clientset) {
	kube, maintenance := kubefake.NewSimpleClientset(), maintenancefake.NewSimpleClientset()
	for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
		fake.PrependReactor("*", "*", s.answer)
		fake.PrependWatchReactor("*", s.watch)
	}
	return kube, maintenance
}

// Locked has act run while nothing else happens at the server.
func (s *Server) Locked(act func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	act()
}

// lag is how late a change arrives at the watches.
func (s *Server) lag(version int) time.Duration {
	if s.hooks.Lag == nil {
		return 0
	}
	return s.hooks.Lag(version)
}

// answer takes a client's request.
func (s *Server) answer(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	carriedOut, failure := s.fault(action)
	if failure != nil && !carriedOut {
		return true, nil, failure
	}
	object, err := s.serve(action)
	if failure != nil {
		return true, nil, failure
	}
	return true, object, err
}

// served tells the hook of a request that was carried out.
func (s *Server) served(action clienttesting.Action, before Object, answer runtime.Object) {
	if s.hooks.Served != nil {
		s.hooks.Served(action, before, answer)
	}
}
