// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"slices"
	"strings"
	"testing"
)

func TestReplicasOptions(t *testing.T) {
	for name, tc := range map[string]struct {
		options ReplicasOptions
		wantErr string // "" for none
	}{
		"two on etcd":          {options: ReplicasOptions{Count: 2, Server: ServerOptions{Store: StoreEtcd}}},
		"three in the cluster": {options: ReplicasOptions{Count: 3, Server: ServerOptions{Store: StoreCluster}}},
		"one on the embedded":  {options: ReplicasOptions{Count: 1, Server: ServerOptions{Store: StoreEmbedded}}},
		"two on the embedded":  {options: ReplicasOptions{Count: 2, Server: ServerOptions{Store: StoreEmbedded}}, wantErr: "belongs to one process"},
		"none":                 {options: ReplicasOptions{Server: ServerOptions{Store: StoreEtcd}}, wantErr: "at least one replica"},
		"unknown store":        {options: ReplicasOptions{Count: 2, Server: ServerOptions{Store: "paper"}}, wantErr: `not "paper"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.options.validate()
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got error %v, want %q", err, tc.wantErr)
			}
		})
	}
}

func TestStoreArgs(t *testing.T) {
	c := newTestCluster(t)
	c.state.SocketDir = "/run"
	for name, tc := range map[string]struct {
		options ServerOptions
		want    []string
	}{
		"not named":           {},
		"the cluster":         {options: ServerOptions{Store: StoreCluster}, want: []string{"--store=cluster"}},
		"the control plane's": {options: ServerOptions{Store: StoreEtcd}, want: []string{"--store=etcd", "--etcd-servers=unix:///run/client", "--etcd-prefix=/maintenance-apiserver"}},
		"another etcd":        {options: ServerOptions{Store: StoreEtcd, ExtraArgs: []string{"--etcd-servers=http://a"}}, want: []string{"--store=etcd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&Server{cluster: c, options: tc.options}).storeArgs(); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Replicas keep their ports, so that those that run need no restart.
func TestReplicaPorts(t *testing.T) {
	s := newTestCluster(t).state
	if err := s.replicaPorts([]string{"one"}); err != nil {
		t.Fatal(err)
	}
	first := s.ReplicaPorts["one"]
	if err := s.replicaPorts([]string{"one", "two"}); err != nil {
		t.Fatal(err)
	}
	if s.ReplicaPorts["one"] != first || first == 0 || s.ReplicaPorts["two"] == 0 || s.ReplicaPorts["two"] == first {
		t.Errorf("got ports %v, want that of the first to stay %d, and another one for the second", s.ReplicaPorts, first)
	}
}
