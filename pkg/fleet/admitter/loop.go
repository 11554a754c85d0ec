// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

const (
	// settles is how long nothing must have changed before the next decision, so that many changes are decided
	// together; settlesMost is how long that may take.
	settles     = 30 * time.Millisecond
	settlesMost = 250 * time.Millisecond
	// lookAgain is how long a decision lasts that time may change: clocks are set, and machines are suspended.
	lookAgain = time.Minute
	// unsureLasts is the time after which it is asked again whether nodes have left maintenance.
	unsureLasts = 2 * time.Second
	// beginAgain is the time after which a term begins anew, if another process keeps the ledger, and this one leads still.
	beginAgain = time.Minute
)

// run decides whenever something has changed, until ctx is done.
func (t *term) run(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), t.policies.HasSynced) {
		return // ctx is done
	}
	backoff := newBackoff()
	for ctx.Err() == nil {
		again, err := t.decideOnce(ctx)
		if err != nil {
			t.pause(ctx, t.failed(ctx, err, &backoff))
			continue
		}
		backoff = newBackoff()
		t.await(ctx, again)
	}
}

func newBackoff() wait.Backoff {
	return wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 9, Cap: 10 * time.Second}
}

// failed says after how long to decide again after a failure.
func (t *term) failed(ctx context.Context, err error, backoff *wait.Backoff) time.Duration {
	logger := klog.FromContext(ctx)
	switch {
	case ctx.Err() != nil:
		return 0
	case errors.Is(err, ledger.ErrDeposed):
		logger.Error(err, "Deciding stops until this process leads anew", "beginsAgainAfter", beginAgain)
		t.forget()
		return beginAgain
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		logger.V(2).Info("Deciding again, since the ledger has changed", "err", err)
	default:
		logger.Error(err, "Could not decide which maintenance may start")
	}
	return backoff.Step()
}

// forget has the term begin anew.
func (t *term) forget() {
	t.ledger.Forget()
	t.publish(known{})
}

// await waits until something has changed, or for that time; zero: for any.
func (t *term) await(ctx context.Context, again time.Duration) {
	if again == 0 {
		select {
		case <-t.changed:
			t.settle(ctx)
		case <-ctx.Done():
		}
		return
	}
	timer := t.config.Clock.NewTimer(again)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-t.changed:
		t.settle(ctx)
	case <-ctx.Done():
	}
}

// settle waits until nothing has changed for a moment.
func (t *term) settle(ctx context.Context) {
	most := t.config.Clock.NewTimer(settlesMost)
	defer most.Stop()
	for {
		quiet := t.config.Clock.NewTimer(settles)
		select {
		case <-t.changed:
			quiet.Stop()
			continue
		case <-quiet.C():
		case <-most.C():
			quiet.Stop()
		case <-ctx.Done():
			quiet.Stop()
		}
		return
	}
}

func (t *term) pause(ctx context.Context, d time.Duration) {
	timer := t.config.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-ctx.Done():
	}
}
