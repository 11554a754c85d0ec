// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"context"
	"errors"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"k8s.io/klog/v2"
)

// headroom is the share of the quota (one in so many) that must be free for a
// store that was full to be used again: with less it would be full at once.
const headroom = 10

// makeRoom lets a store take writes again that had reached its quota: etcd raises
// an alarm then, which it keeps for good, and refuses even what would make room.
// What nobody needs any more is thrown away first. A store that is full all the
// same needs a larger quota, and the error says so.
func makeRoom(ctx context.Context, etcd *etcdserver.EtcdServer, quotaBytes int64) error {
	alarm := &pb.AlarmRequest{Action: pb.AlarmRequest_GET, Alarm: pb.AlarmType_NOSPACE}
	raised, err := etcd.Alarm(ctx, alarm)
	if err != nil {
		return fmt.Errorf("could not ask for alarms: %w", err)
	}
	if len(raised.Alarms) == 0 {
		return nil
	}
	_, err = etcd.Compact(ctx, &pb.CompactionRequest{Revision: etcd.KV().Rev(), Physical: true})
	if err != nil && !errors.Is(err, mvcc.ErrCompacted) {
		return fmt.Errorf("could not compact: %w", err)
	}
	if err := etcd.Backend().Defrag(); err != nil {
		return fmt.Errorf("could not defragment: %w", err)
	}
	size := etcd.Backend().Size()
	if size > quotaBytes-quotaBytes/headroom {
		return fmt.Errorf("it is full: it has %d bytes of the %d that it may have: raise --embedded-etcd-quota-bytes, "+
			"and have a disk of more than twice that", size, quotaBytes)
	}
	alarm.Action, alarm.MemberID = pb.AlarmRequest_DEACTIVATE, uint64(etcd.MemberID())
	if _, err := etcd.Alarm(ctx, alarm); err != nil {
		return fmt.Errorf("could not end the alarm: %w", err)
	}
	klog.InfoS("The store was full and has room again", "bytes", size, "quotaBytes", quotaBytes)
	return nil
}
