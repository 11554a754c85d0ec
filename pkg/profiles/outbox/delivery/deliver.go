// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

const (
	// graceTime is how long a notification that is being sent may take when the process is to stop, or has lost its lead.
	graceTime = 5 * time.Second
	// recordTime is how long it is tried to record what came of it then.
	recordTime = 10 * time.Second
	// writeTimeout is how long one write may take.
	writeTimeout = 10 * time.Second
)

// deliverAll sends what a NodeProfile has to send to an endpoint now, one after the other, and says when to come back;
// zero: when somebody wakes it.
func (t *term) deliverAll(
	ctx context.Context, nodeProfile *v1beta1.NodeProfile, endpoint string,
) (again time.Time, err error) {
	tried := map[string]bool{}
	for ctx.Err() == nil {
		ready, next := pick(nodeProfile, endpoint, t.Clock.Now())
		again = next
		went := false
		for _, id := range ready {
			if tried[id] {
				continue
			}
			way := laneOf(byID(nodeProfile, id).Target)
			entered, until := t.lanes.enter(way, key{nodeProfile.Name, endpoint}, t.Clock.Now())
			if again = due.Earlier(again, until); !entered {
				continue
			}
			tried[id], went = true, true
			if nodeProfile, err = t.deliver(ctx, nodeProfile, id, way); err != nil || nodeProfile == nil {
				return time.Time{}, err
			}
			break
		}
		if !went {
			return again, nil
		}
	}
	return time.Time{}, nil
}

// deliver sends one notification, and leaves its lane. It returns the NodeProfile as it was stored; nil: it is gone.
func (t *term) deliver(
	ctx context.Context, nodeProfile *v1beta1.NodeProfile, id string, way lane,
) (stored *v1beta1.NodeProfile, err error) {
	rests := time.Time{}
	defer func() { t.lanes.leave(way, rests) }()
	var send, again, ended bool
	stored, err = t.record(ctx, nodeProfile, id, func(n *v1beta1.NotificationStatus) bool {
		if send = t.isDue(n); !send {
			return false // somebody else has begun
		}
		send, again = begin(n, t.Clock.Now())
		ended = !send
		return true
	})
	if err == nil && ended {
		count(stored, id)
	}
	if err != nil || stored == nil || !send || byID(stored, id) == nil {
		return stored, err
	}
	sent := byID(stored, id).DeepCopy()
	receipt, failure := t.send(ctx, stored, sent, again)
	ended = false
	stored, err = t.recordSurely(ctx, stored, id, func(n *v1beta1.NotificationStatus) bool {
		if n.State != v1beta1.NotificationSending || n.Attempts != sent.Attempts {
			return false // it was lost, and somebody else has gone on
		}
		if rest := finish(n, receipt, failure, again, t.Clock.Now()); rest > 0 {
			rests = t.Clock.Now().Add(rest)
		}
		ended = true
		return true
	})
	if err == nil && ended {
		count(stored, id)
	}
	return stored, err
}

func (t *term) isDue(n *v1beta1.NotificationStatus) bool {
	return outbox.Unsent(n) && !dueAt(n).After(t.Clock.Now())
}

// send calls the sender, which may finish for a moment after ctx is done. It has less time if that it sends was recorded
// a while ago, since others take the notification for lost when that is over.
func (t *term) send(
	ctx context.Context, nodeProfile *v1beta1.NodeProfile, n *v1beta1.NotificationStatus, again bool,
) (receipt outbox.Receipt, err error) {
	sender := t.Senders[n.Target.Kind]
	if sender == nil || n.Texts == nil {
		return outbox.Receipt{}, &outbox.SendError{
			Class: outbox.Permanent, Reason: fmt.Sprintf("this version cannot send notifications of the kind %q", n.Target.Kind),
		}
	}
	left := dueAt(n).Sub(t.Clock.Now()) - (lostAfter - sendTimeout)
	if left <= 0 {
		return outbox.Receipt{}, &outbox.SendError{Class: outbox.Temporary, Reason: "the server stood still before it was sent"}
	}
	ctx, cancel := lasting(ctx, graceTime, left)
	defer cancel()
	underWay := sending.WithLabelValues(n.Target.Endpoint)
	underWay.Inc()
	defer underWay.Dec()
	defer recovered(ctx, &err)
	return sender.Send(ctx, outbox.Message{
		ID: n.ID, Node: nodeProfile.Spec.NodeName, Profile: nodeProfile.Spec.Profile, Notifier: n.Notifier,
		Occasion: n.Occasion, Time: n.Time.Time, Target: *n.Target.DeepCopy(), Texts: *n.Texts, Again: again,
	})
}

// recovered turns a panic of a sender into an error: an answer that a library cannot bear must not end the server. It is
// to be deferred.
func recovered(ctx context.Context, err *error) {
	if r := recover(); r != nil {
		klog.FromContext(ctx).Error(nil, "A sender of notifications has panicked", "stack", string(debug.Stack()))
		*err = &outbox.SendError{Class: outbox.Maybe, Reason: "the sender has failed, which is a defect of the server: see its log"}
	}
}

// lasting returns a context that ends after most, or a moment after the one that it is made from.
func lasting(ctx context.Context, grace, most time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// change changes a notification, as it is stored. It returns false if nothing is to be written.
type change func(n *v1beta1.NotificationStatus) bool

// recordSurely records until it has worked, since the notification must not be sent again for want of a record. When ctx
// is done, it gives up after recordTime.
func (t *term) recordSurely(
	ctx context.Context, nodeProfile *v1beta1.NodeProfile, id string, do change,
) (stored *v1beta1.NodeProfile, err error) {
	ctx, cancel := lasting(ctx, recordTime, lostAfter)
	defer cancel()
	backoff := wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 30, Cap: 10 * time.Second}
	for {
		if stored, err = t.record(ctx, nodeProfile, id, do); err == nil || ctx.Err() != nil {
			return stored, err
		}
		t.pause(ctx, backoff.Step())
	}
}

func (t *term) pause(ctx context.Context, d time.Duration) {
	timer := t.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-ctx.Done():
	}
}

// record changes a notification in what is stored. It returns the NodeProfile as it is stored then; nil: it is gone.
func (t *term) record(
	ctx context.Context, nodeProfile *v1beta1.NodeProfile, id string, do change,
) (*v1beta1.NodeProfile, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	for {
		changed := nodeProfile.DeepCopy()
		n := byID(changed, id)
		if n == nil || !do(n) {
			return nodeProfile, nil
		}
		stored, err := t.Client.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return goneIsNil(stored, err)
		}
		current, err := t.Client.Get(ctx, nodeProfile.Name, metav1.GetOptions{})
		if err != nil || current.UID != nodeProfile.UID {
			return goneIsNil(nil, err)
		}
		nodeProfile = current
	}
}

func goneIsNil(stored *v1beta1.NodeProfile, err error) (*v1beta1.NodeProfile, error) {
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("could not write the status of a NodeProfile: %w", err)
	default:
		return stored, nil
	}
}
