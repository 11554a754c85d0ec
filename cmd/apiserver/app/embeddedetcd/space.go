// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"k8s.io/klog/v2"
)

const (
	// NearlyFullPercent is the share of its quota from which on a store is nearly full. It
	// should take nothing new then, so that space is left for deletes and updates.
	NearlyFullPercent = 80
	// headroom is the part of the quota, one tenth, that must stay free. A store that was full
	// is used again when as much is free. With less it would soon be full again.
	headroom = 10
	// growth is the part of the quota, one twentieth, by which the space in use may grow until old
	// revisions are removed. The API server removes them too, but only every few minutes.
	growth = 20
	// recentCalls is how many calls of Reclaim ago what is removed must be old. They are a second apart, and
	// the API server's own watch may be some seconds behind: it would have to list again, and refuse requests
	// meanwhile.
	recentCalls = 10
)

// etcd compares the size of its file with the quota. The file never shrinks by itself: the space that
// compaction frees is used again, but compaction itself makes the file larger. At the quota, etcd raises
// an alarm, which lasts until somebody ends it, and refuses even the writes that would free space.

// Reclaim keeps a running store from reaching its quota, and has a store that reached it accept
// writes again. It removes old revisions whenever the store has grown by a twentieth of the quota; if that
// fails, the next call tries again. That is all, unless try is true and the store is above nine tenths of the
// quota. Then tried is true: it removes old revisions in any case, and defragments the file if that makes it
// smaller by a tenth of the quota. Requests wait meanwhile. The error says that the store is full. One caller
// at a time.
func (s *Server) Reclaim(ctx context.Context, try bool) (tried bool, err error) {
	if err := s.compactGrown(ctx); err != nil {
		klog.ErrorS(err, "Could not remove old revisions of the store. It will be tried again")
	}
	if !try {
		return false, nil
	}
	backend, most := s.etcd.Server.Backend(), s.most()
	if s.alarmRaised() || backend.SizeInUse() > most {
		tried = true
		if err := s.compact(ctx); err != nil {
			return tried, err
		}
	}
	if backend.Size() > most && s.worthDefragmenting() {
		tried = true
		if err := s.defragment(); err != nil {
			return tried, err
		}
	}
	return tried, s.endAlarm(ctx)
}

// most is how large the store may be, in bytes, until old revisions are removed whoever may still need them.
func (s *Server) most() int64 { return s.quotaBytes - s.quotaBytes/headroom }

// compactGrown removes old revisions if the store has grown much since that was done: those that are not
// recent, and near the quota all, for deletes write too, and a full store refuses them. A client that asks
// for a revision that is gone gets an error, and lists again.
func (s *Server) compactGrown(ctx context.Context) error {
	s.recent = append(s.recent, s.etcd.Server.KV().Rev())
	if len(s.recent) > recentCalls {
		s.recent = s.recent[1:]
	}
	backend := s.etcd.Server.Backend()
	s.leastUsed = min(s.leastUsed, backend.SizeInUse())
	if backend.SizeInUse()-s.leastUsed < s.quotaBytes/growth {
		return nil
	}
	revision := s.recent[0]
	if backend.Size() > s.most() { // the file counts for etcd
		revision = s.recent[len(s.recent)-1]
	}
	if err := s.compactTo(ctx, revision); err != nil {
		return err
	}
	s.leastUsed = backend.SizeInUse()
	return nil
}

// makeRoom frees space of a store that is nearly full, at its start, when no request waits for it. A
// store that is full after that needs a larger quota, and the error says so. A store that is not full
// starts in any case.
func (s *Server) makeRoom(ctx context.Context) error {
	full := s.alarmRaised()
	if !full && s.etcd.Server.Backend().Size() < s.quotaBytes/100*NearlyFullPercent {
		return nil
	}
	err := s.compact(ctx)
	if err == nil && (full || s.worthDefragmenting()) {
		err = s.defragment()
	}
	switch {
	case err == nil:
		return s.endAlarm(ctx)
	case full:
		return err
	default:
		klog.ErrorS(err, "Could not free space of the store")
		return nil
	}
}

// worthDefragmenting says whether that would make the file smaller by a tenth of the quota.
func (s *Server) worthDefragmenting() bool {
	backend := s.etcd.Server.Backend()
	return backend.Size()-backend.SizeInUse() >= s.quotaBytes/headroom
}

// Status says how large the store is, as clientv3.Maintenance does of any etcd, but without a
// request. It never fails.
func (s *Server) Status(context.Context, string) (*clientv3.StatusResponse, error) {
	backend := s.etcd.Server.Backend()
	status := &clientv3.StatusResponse{DbSize: backend.Size(), DbSizeInUse: backend.SizeInUse(), DbSizeQuota: s.quotaBytes}
	if s.alarmRaised() {
		status.Errors = []string{pb.AlarmType_NOSPACE.String()}
	}
	return status, nil
}

func (s *Server) alarmRaised() bool {
	return slices.ContainsFunc(s.etcd.Server.Alarms(), func(a *pb.AlarmMember) bool {
		return a.Alarm == pb.AlarmType_NOSPACE
	})
}

// compact removes all revisions but the latest.
func (s *Server) compact(ctx context.Context) error {
	return s.compactTo(ctx, s.etcd.Server.KV().Rev())
}

// compactTo removes what was replaced or deleted before a revision, or by it.
func (s *Server) compactTo(ctx context.Context, revision int64) error {
	request := &pb.CompactionRequest{Revision: revision, Physical: true}
	if _, err := s.etcd.Server.Compact(ctx, request); err != nil && !errors.Is(err, mvcc.ErrCompacted) {
		return fmt.Errorf("could not compact: %w", err)
	}
	s.etcd.Server.Backend().ForceCommit() // the sizes are those of the last commit
	return nil
}

// defragment writes the file anew, without its free pages.
func (s *Server) defragment() error {
	backend := s.etcd.Server.Backend()
	before := backend.Size()
	if err := backend.Defrag(); err != nil {
		return fmt.Errorf("could not defragment: %w", err)
	}
	klog.InfoS("Defragmented the store", "bytesBefore", before, "bytes", backend.Size(), "quotaBytes", s.quotaBytes)
	return nil
}

// endAlarm ends the alarm of a store that was full and has free space again.
func (s *Server) endAlarm(ctx context.Context) error {
	if !s.alarmRaised() {
		return nil
	}
	if size := s.etcd.Server.Backend().Size(); size > s.most() {
		return fmt.Errorf("it is full: it has %d of at most %d bytes: raise --embedded-etcd-quota-bytes, "+
			"and use a disk of more than twice the new quota", size, s.quotaBytes)
	}
	end := &pb.AlarmRequest{
		Action: pb.AlarmRequest_DEACTIVATE, Alarm: pb.AlarmType_NOSPACE, MemberID: uint64(s.etcd.Server.MemberID()),
	}
	if _, err := s.etcd.Server.Alarm(ctx, end); err != nil {
		return fmt.Errorf("could not end the alarm: %w", err)
	}
	klog.InfoS("The store was full and has free space again", "quotaBytes", s.quotaBytes)
	return nil
}
