// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// vouchInterval is how long after it was asked who vouches for profiles it is asked again. A permission that is taken
	// away, or given, is noticed within that time.
	vouchInterval = 5 * time.Minute
	// vouchAgain is the same if nobody could tell.
	vouchAgain = 10 * time.Second
	// vouchTimeout bounds asking about one profile.
	vouchTimeout = 30 * time.Second
)

// vouchers know whether profiles may do what they say. They know nothing until they have asked. If nobody can tell, it is as
// before.
type vouchers struct {
	mu    sync.Mutex
	known map[types.UID]voucher
	// unasked is rung when there is a profile, or a generation of one, that nobody has been asked about.
	unasked workloop.Bell
}

// voucher is what was said of a generation of a profile: the reason of the condition Acting and its message; empty: it may.
type voucher struct {
	generation    int64
	reason, lacks string
}

func newVouchers() *vouchers {
	return &vouchers{known: map[types.UID]voucher{}, unasked: workloop.NewBell()}
}

// of returns what was said of a profile as it is now.
func (v *vouchers) of(profile *v1beta1.MaintenanceProfile) (said voucher, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	said, known = v.known[profile.UID]
	return said, known && said.generation == profile.Generation
}

func (v *vouchers) replace(known map[types.UID]voucher) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = known
}

// kick has it asked soon who vouches for new profiles. It never blocks.
func (v *vouchers) kick() { v.unasked.Ring() }

// askVouchers asks who vouches for profiles, again and again, until ctx is done.
func (t *term) askVouchers(ctx context.Context) {
	due := t.config.Clock.Now()
	for t.config.Vouch != nil && ctx.Err() == nil {
		now := t.config.Clock.Now()
		all := !now.Before(due)
		if all {
			due = now.Add(vouchInterval)
		}
		if failed := t.askAll(ctx, all); failed {
			due = now.Add(vouchAgain)
		}
		t.vouchers.unasked.AwaitUntil(ctx, t.config.Clock, due)
	}
}

// askAll asks about all profiles, or only about those of which nothing is known, and has those looked at of which
// something else is said than before. It says whether nobody could tell about one.
func (t *term) askAll(ctx context.Context, all bool) (failed bool) {
	next := map[types.UID]voucher{}
	var changed []string
	for _, profile := range t.statuses.stored() {
		before, known := t.vouchers.of(profile)
		if known {
			next[profile.UID] = before
			if !all {
				continue
			}
		}
		said, err := t.ask(ctx, profile)
		if err != nil {
			failed = true
			klog.FromContext(ctx).Error(err, "Could not find out whether a profile may do what it says", "profile", profile.Name)
			continue
		}
		next[profile.UID] = said
		if !known || said != before {
			changed = append(changed, profile.Name)
		}
	}
	t.vouchers.replace(next)
	for _, profile := range changed {
		t.wakeProfile(profile)
		t.statuses.kick()
	}
	return failed
}

func (t *term) ask(ctx context.Context, profile *v1beta1.MaintenanceProfile) (voucher, error) {
	ctx, cancel := context.WithTimeout(ctx, vouchTimeout)
	defer cancel()
	reason, lacks, err := t.config.Vouch(ctx, profile)
	return voucher{generation: profile.Generation, reason: reason, lacks: text(lacks)}, err
}

// isVouched says whether it is known yet if a profile may do what it says.
func (t *term) isVouched(profile *v1beta1.MaintenanceProfile) bool {
	_, known := t.vouchers.of(profile)
	return known || t.config.Vouch == nil
}
