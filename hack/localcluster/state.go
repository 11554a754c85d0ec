// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// state is what a later process needs to know about a cluster. It is saved whenever a
// process was started, so that the processes of an interrupted start can be stopped.
type state struct {
	// APIServerPort is the port of kube-apiserver; 0 before its first start.
	APIServerPort int `json:"apiServerPort,omitempty"`
	// ServerPort is the port of our server, or of the balancer before its replicas; 0 before its first start.
	ServerPort int `json:"serverPort,omitempty"`
	// ReplicaPorts are the ports of the replicas of our server, by their names; none where there is one server.
	ReplicaPorts map[string]int `json:"replicaPorts,omitempty"`
	// SocketDir holds etcd's sockets.
	SocketDir string `json:"socketDir,omitempty"`
	// Processes are the started processes, by the name of the component.
	Processes map[string]processRecord `json:"processes"`

	path string
}

// processRecord is the process of a component, and the fingerprint of what it was started from.
type processRecord struct {
	process.Identity
	// Fingerprint differs when binary, arguments or configuration do.
	Fingerprint string `json:"fingerprint"`
}

// loadState returns the state in a file, and whether there was one.
func loadState(path string) (s *state, found bool, err error) {
	s = &state{Processes: map[string]processRecord{}, path: path}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("could not read state of cluster: %w", err)
	}
	if err := json.Unmarshal(content, s); err != nil {
		return nil, false, fmt.Errorf("could not parse state of cluster in %s: %w", path, err)
	}
	return s, true, nil
}

// save replaces the file atomically.
func (s *state) save() error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("could not encode state of cluster: %w", err)
	}
	if err := os.WriteFile(s.path+".new", content, 0o600); err != nil {
		return fmt.Errorf("could not write state of cluster: %w", err)
	}
	if err := os.Rename(s.path+".new", s.path); err != nil {
		return fmt.Errorf("could not write state of cluster: %w", err)
	}
	return nil
}

// replicaPorts chooses a port for each replica that has none yet.
func (s *state) replicaPorts(names []string) error {
	if s.ReplicaPorts == nil {
		s.ReplicaPorts = map[string]int{}
	}
	for _, name := range names {
		if s.ReplicaPorts[name] != 0 {
			continue
		}
		port, err := process.FreePort()
		for err == nil && slices.Contains(slices.Collect(maps.Values(s.ReplicaPorts)), port) {
			port, err = process.FreePort() // nothing listens on that of another replica yet
		}
		if err != nil {
			return err
		}
		s.ReplicaPorts[name] = port
	}
	return s.save()
}

// record saves the process of a component.
func (s *state) record(name string, r processRecord) error {
	s.Processes[name] = r
	return s.save()
}

// running returns the recorded process of a component, or nil if none runs.
func (s *state) running(name string) *process.Process {
	r, found := s.Processes[name]
	if !found || !r.Alive() {
		return nil
	}
	return process.Attach(r.Identity)
}
