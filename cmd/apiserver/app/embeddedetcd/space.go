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

// headroom is the part of the quota, one tenth, that must be free before a store that was
// full is used again. With less it would soon be full again.
const headroom = 10

// makeRoom makes a store that had reached its quota accept writes again. At its quota, etcd raises
// an alarm, and refuses writes until the alarm is ended, even after space was freed. makeRoom
// removes old revisions first, and ends the alarm if that frees enough space. If not, the error
// says that a larger quota is needed.
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
		return fmt.Errorf("it is full: it has %d of at most %d bytes: raise --embedded-etcd-quota-bytes, "+
			"and use a disk of more than twice the new quota", size, quotaBytes)
	}
	alarm.Action, alarm.MemberID = pb.AlarmRequest_DEACTIVATE, uint64(etcd.MemberID())
	if _, err := etcd.Alarm(ctx, alarm); err != nil {
		return fmt.Errorf("could not end the alarm: %w", err)
	}
	klog.InfoS("The store was full and has free space again", "bytes", size, "quotaBytes", quotaBytes)
	return nil
}
