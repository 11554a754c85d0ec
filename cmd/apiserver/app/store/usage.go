// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
)

// usage is how much of its quota a member of etcd uses.
type usage struct {
	// used is how much is in use, in bytes. The file may be larger: its free pages are used
	// again before it grows.
	used int64
	// quota is what the member may use, in bytes. Not above 0: it has no quota, or does not
	// tell it, as before etcd 3.6.
	quota int64
	// full says that etcd has refused a write for want of space, and refuses all since then.
	full bool
}

func usageOf(status *clientv3.StatusResponse) usage {
	u := usage{used: status.DbSizeInUse, quota: status.DbSizeQuota}
	for _, text := range status.Errors {
		u.full = u.full || strings.Contains(text, pb.AlarmType_NOSPACE.String())
	}
	return u
}

// worse says whether u is nearer to its quota than other.
func (u usage) worse(other usage) bool {
	if u.full != other.full {
		return u.full
	}
	return u.percent() > other.percent()
}

// percent is how much of the quota is used, 0 where there is none.
func (u usage) percent() int64 {
	if u.quota <= 0 {
		return 0
	}
	return int64(float64(u.used) / float64(u.quota) * 100)
}

func (u usage) nearlyFull() bool {
	return u.full || u.percent() >= embeddedetcd.NearlyFullPercent
}

// String says how full the store is, and what follows from it if it is nearly full.
func (u usage) String() string {
	switch {
	case u.full:
		return "the store is full: etcd takes no writes since its alarm NOSPACE"
	case u.nearlyFull():
		return fmt.Sprintf("the store is nearly full: %s of %s (%d%%) are in use, and from %d%% on nothing new is stored",
			humanize.IBytes(uint64(u.used)), humanize.IBytes(uint64(u.quota)), u.percent(), embeddedetcd.NearlyFullPercent)
	default:
		return fmt.Sprintf("%d of %d bytes of the store are in use", u.used, u.quota)
	}
}
