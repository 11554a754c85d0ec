// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// measureTimeout bounds how long a member of etcd may take to answer.
	measureTimeout = 5 * time.Second
	// leastReclaimPause is the least time from one try to free space to the next.
	leastReclaimPause = 30 * time.Second
	// reclaimShare is the share of the time (one in so many) that freeing space may take: requests wait
	// meanwhile.
	reclaimShare = 20
)

// Space knows how much of its quota the store uses.
type Space struct {
	members  members
	names    []string // of the members: their addresses
	advice   string   // what to do when the store is nearly full
	interval time.Duration
	// reclaim frees space of a store that needs it. What requests have to wait for it does only if try is true,
	// and says whether it did.
	reclaim  func(ctx context.Context, try bool) (tried bool, err error)
	clock    clock.WithTicker
	measured atomic.Pointer[usage] // nil: not known
}

// members are asked for their sizes. It is a part of clientv3.Maintenance.
type members interface {
	Status(ctx context.Context, endpoint string) (*clientv3.StatusResponse, error)
}

// CheckSpace returns an error, for a user to read, where the store is nearly full: four fifths of
// its quota are in use. It should take nothing new then. It answers from memory, with what was
// measured some seconds ago at most. A store whose size or quota is not known has space.
func (s *Space) CheckSpace() error {
	u := s.measured.Load()
	if u == nil || !u.nearlyFull() {
		return nil
	}
	return fmt.Errorf("%s: %s", u, s.advice)
}

// run measures the store, now and every interval, until ctx ends.
func (s *Space) run(ctx context.Context) {
	ticker := s.clock.NewTicker(s.interval)
	defer ticker.Stop()
	var next time.Time
	for {
		next = s.freeSpace(ctx, next)
		s.note(ctx, s.measure(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
	}
}

// freeSpace frees space if the store needs it. Requests may have to wait for that from next on. It returns
// from when on they may have to the next time.
func (s *Space) freeSpace(ctx context.Context, next time.Time) time.Time {
	began := s.clock.Now()
	tried, err := s.reclaim(ctx, !began.Before(next))
	if err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Could not free space of the store")
	}
	if !tried {
		return next
	}
	now := s.clock.Now()
	return now.Add(max(leastReclaimPause, reclaimShare*now.Sub(began)))
}

// measure returns the usage of the member that is nearest to its quota: etcd takes a write only
// if every member has space for it. Nil where none has answered.
func (s *Space) measure(ctx context.Context) *usage {
	var asking sync.WaitGroup
	usages, errs := make([]*usage, len(s.names)), make([]error, len(s.names))
	for i, name := range s.names {
		asking.Go(func() { usages[i], errs[i] = s.measureMember(ctx, name) })
	}
	asking.Wait()
	var worst *usage
	for _, u := range usages {
		if u != nil && (worst == nil || u.worse(*worst)) {
			worst = u
		}
	}
	if err := errors.Join(errs...); err != nil {
		klog.FromContext(ctx).V(2).Info("Could not measure the store", "err", err)
	}
	return worst
}

func (s *Space) measureMember(ctx context.Context, name string) (*usage, error) {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	status, err := s.members.Status(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	u := usageOf(status)
	return &u, nil
}

// note keeps what was measured, and logs when the store becomes nearly full and when it no longer is.
func (s *Space) note(ctx context.Context, measured *usage) {
	before := s.CheckSpace()
	s.measured.Store(measured)
	countUsage(measured)
	switch after := s.CheckSpace(); {
	case before == nil && after != nil:
		klog.FromContext(ctx).Info("New objects are refused", "reason", after.Error())
	case before != nil && after == nil:
		klog.FromContext(ctx).Info("New objects are taken again")
	}
}
