// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ec2test is for tests: a server that answers DescribeInstanceStatus as EC2 does, in its query protocol. Tests say
// which instances there are, and what goes wrong.
package ec2test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// Event is a scheduled event of an instance.
type Event struct {
	// ID, Code and Description are as EC2 has them.
	ID, Code, Description string
	// NotBefore, NotAfter and Deadline are left out if they are zero.
	NotBefore, NotAfter, Deadline time.Time
}

// Trouble is what goes wrong in a region.
type Trouble int

const (
	// None lets the region answer.
	None Trouble = iota
	// Throttled has it say that there are too many requests.
	Throttled
	// Failing has it say that it has failed.
	Failing
	// Denied has it say that the caller may not ask.
	Denied
	// Hanging has it not answer.
	Hanging
)

// Request is a request that was received.
type Request struct {
	// Region is for which the request was signed.
	Region string
	// Instances are the ids that it names.
	Instances []string
	// All says whether instances that do not run were asked for, too.
	All bool
	// Page is the token of the page; empty for the first.
	Page string
}

// Server is an EC2 of all regions. Use Start.
type Server struct {
	http *httptest.Server
	// ended is closed when the server ends.
	ended chan struct{}

	mu        sync.Mutex
	instances map[string]map[string][]Event
	hidden    map[string]bool
	troubles  map[string]trouble
	pageSize  int
	requests  []Request
}

// trouble is what goes wrong with the next requests.
type trouble struct {
	kind Trouble
	// requests is with how many; negative: with all.
	requests int
}

// Start starts a server without instances, on a port of this machine.
func Start() *Server {
	s := &Server{ended: make(chan struct{}), instances: map[string]map[string][]Event{}, hidden: map[string]bool{}, troubles: map[string]trouble{}, pageSize: 100}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close ends the server.
func (s *Server) Close() {
	close(s.ended)
	s.http.Close()
}

// URL is where the server is, such as http://127.0.0.1:12345.
func (s *Server) URL() string { return s.http.URL }

// Put says that a region has the instance, with these events and no others.
func (s *Server) Put(region, instance string, events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instances[region] == nil {
		s.instances[region] = map[string][]Event{}
	}
	s.instances[region][instance] = events
}

// Remove says that a region does not have the instance any more.
func (s *Server) Remove(region, instance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.instances[region], instance)
}

// Hide has instances left out of answers, although they exist.
func (s *Server) Hide(instances ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, instance := range instances {
		s.hidden[instance] = true
	}
}

// Trouble says what goes wrong in the region from now on, with so many requests; negative: with all.
func (s *Server) Trouble(region string, kind Trouble, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles[region] = trouble{kind: kind, requests: requests}
}

// PageSize says how many instances a page has at most.
func (s *Server) PageSize(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pageSize = most
}

// Requests returns the requests that were received, those that failed too.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// next notes a request, and says what goes wrong with it.
func (s *Server) next(request Request) Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	now := s.troubles[request.Region]
	if now.requests == 0 {
		return None
	}
	now.requests--
	s.troubles[request.Region] = now
	return now.kind
}
