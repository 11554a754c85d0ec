// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// maxRequestBytes is above the API server's limit of 3 MiB for a request body, since
	// the API server adds to what it stores.
	maxRequestBytes = 4 << 20

	// compactionRetention is how long etcd keeps old revisions. The API server also
	// requests a compaction every five minutes.
	compactionRetention = "10m"

	// snapshotEntries is after how many writes etcd takes a snapshot. The data is in the database, so a
	// snapshot is a small file and a few syncs. The writes since the last one are in memory, and a restart
	// reads them back: the default of 10,000 large ones would not fit. With 20, one client can still write
	// about 1,500 times a second and 16 clients 4,000 times, 10 % and 35 % less than with 10,000.
	snapshotEntries = 20
	// catchUpEntries is how many writes before the last snapshot stay in memory, for members that are
	// late. There are none, but 0 would mean the default of 5,000.
	catchUpEntries = 1
	// logFiles is how many files of the log stay, 64 MB each, besides those that are needed. Every start
	// reads all of them.
	logFiles = 1

	// A single member elects itself. With short ticks that takes 0.2 s instead of 1 s. They
	// have no disadvantage, since there are no peers that could be late.
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
	cfg.SnapshotCount = snapshotEntries
	cfg.SnapshotCatchUpEntries = catchUpEntries
	cfg.MaxWalFiles = logFiles
	cfg.TickMs = tickMilliseconds
	cfg.ElectionMs = electionMilliseconds
	cfg.EnableGRPCGateway = false

	peer, client := unixURL(s.peer), unixURL(s.client)
	// To listen for peers, etcd takes only the host of the URL. Without one, the kernel would choose an abstract socket,
	// which every user of the network namespace can connect to.
	cfg.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: filepath.ToSlash(s.peer)}}
	cfg.AdvertisePeerUrls = []url.URL{peer}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)

	// Important errors are returned by calls. The errors that etcd logs are mostly about
	// its own clients and listeners, which close at every stop.
	cfg.LogLevel = "dpanic"
	return cfg
}

func unixURL(path string) url.URL {
	return url.URL{Scheme: "unix", Path: filepath.ToSlash(path)}
}
