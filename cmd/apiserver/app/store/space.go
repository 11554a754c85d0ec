// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// measureTimeout bounds how long the members of etcd may take to answer, all together.
const measureTimeout = 5 * time.Second

// Space knows how much of its quota the store uses.
type Space struct {
	members  members
	names    []string // of the members: their addresses
	advice   string   // what to do when the store is nearly full
	interval time.Duration
	reclaim  func(context.Context) error
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
	for {
		if err := s.reclaim(ctx); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Could not make room in the store")
		}
		s.note(ctx, s.measure(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
	}
}

// measure returns the usage of the member that is nearest to its quota: etcd takes a write only
// if every member has space for it. Nil where none has answered.
func (s *Space) measure(ctx context.Context) *usage {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	var worst *usage
	var errs []error
	for _, name := range s.names {
		status, err := s.members.Status(ctx, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if u := usageOf(status); worst == nil || u.worse(*worst) {
			worst = &u
		}
	}
	if len(errs) > 0 {
		klog.FromContext(ctx).V(2).Info("Could not measure the store", "err", errors.Join(errs...))
	}
	return worst
}

// note keeps what was measured, and logs when the store becomes nearly full and when it no longer is.
func (s *Space) note(ctx context.Context, measured *usage) {
	before := s.CheckSpace()
	s.measured.Store(measured)
	countUsage(measured)
	switch after := s.CheckSpace(); {
	case before == nil && after != nil:
		klog.FromContext(ctx).Info("New NodeMaintenances are refused", "reason", after.Error())
	case before != nil && after == nil:
		klog.FromContext(ctx).Info("New NodeMaintenances are taken again")
	}
}
