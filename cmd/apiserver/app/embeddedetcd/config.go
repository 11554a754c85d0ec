// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// maxRequestBytes lets through what the API server lets through: its
	// limit of 3 MiB a request body, and room for what it adds.
	maxRequestBytes = 4 << 20

	// compactionRetention is how long old revisions are kept, beside the
	// compaction that the API server itself asks for every five minutes.
	compactionRetention = "10m"

	// A member alone in its cluster elects itself; short ticks make that take
	// 0.2 s instead of 1 s and cost nothing, since no peer could be late.
	tickMilliseconds     = 10
	electionMilliseconds = 50
)

func etcdConfig(dir string, quotaBytes int64, s *sockets) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.QuotaBackendBytes = quotaBytes
	cfg.MaxRequestBytes = maxRequestBytes
	cfg.AutoCompactionMode = embed.CompactorModePeriodic
	cfg.AutoCompactionRetention = compactionRetention
	cfg.TickMs = tickMilliseconds
	cfg.ElectionMs = electionMilliseconds
	cfg.EnableGRPCGateway = false

	peer, client := unixURL(s.peer), unixURL(s.client)
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)

	// Errors that matter come back from calls. What etcd logs as errors beside
	// them is mostly its own clients and listeners closing at every stop.
	cfg.LogLevel = "dpanic"
	return cfg
}

func unixURL(path string) url.URL {
	return url.URL{Scheme: "unix", Path: filepath.ToSlash(path)}
}
