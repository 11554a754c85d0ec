// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

const (
	// sendTimeout is how long sending may take: two calls of the slowest endpoint, and the waits for its perMinute.
	sendTimeout = 3 * time.Minute
	// lostAfter is the time after which a notification that is Sending counts as lost. Clocks of replicas may differ by the
	// rest.
	lostAfter = sendTimeout + 30*time.Second
	// firstRetry and lastRetry bound how long it is waited before the next try. It is doubled each time.
	firstRetry = 5 * time.Second
	lastRetry  = 15 * time.Minute
)

// begin records that a notification is going to be sent. again says that nobody knows whether it was sent before; send is
// false if it is not to be sent any more.
func begin(n *v1beta1.NotificationStatus, now time.Time) (send, again bool) {
	again = n.State == v1beta1.NotificationSending
	if again && n.Target.Delivery == v1beta1.DeliveryAtMostOnce {
		end(n, v1beta1.NotificationUnknown, "the server stopped while it was being sent")
		return false, true
	}
	n.State, n.Attempts = v1beta1.NotificationSending, n.Attempts+1
	n.NextTime = ptr.To(metav1.NewTime(now.Add(lostAfter)))
	return true, again
}

// finish records what came of a try. again is as begin has said. rest is how long the other side wants to be left alone.
// Whoever could not be told for GivenUpAfter is not tried again.
func finish(
	n *v1beta1.NotificationStatus, receipt outbox.Receipt, err error, again bool, now time.Time,
) (rest time.Duration) {
	if err == nil {
		end(n, v1beta1.NotificationSent, "")
		n.Receipt, n.SentTime = receipt.Reference, ptr.To(metav1.NewTime(now))
		return 0
	}
	failed := sendError(err)
	n.Message = endpoint.Cut(failed.Reason)
	switch doubt := again || failed.Class == outbox.Maybe; {
	case failed.Class == outbox.Permanent:
		end(n, givenUp(again), failed.Reason) // an earlier try may have reached the other side
	case doubt && n.Target.Delivery == v1beta1.DeliveryAtMostOnce:
		end(n, v1beta1.NotificationUnknown, failed.Reason)
	case !now.Before(n.Time.Add(outbox.GivenUpAfter)):
		end(n, givenUp(doubt), failed.Reason)
	default:
		tryAgain(n, doubt, failed.RetryAfter, now)
	}
	return failed.RetryAfter
}

// givenUp is the state of a notification that is not tried any more.
func givenUp(doubt bool) v1beta1.NotificationState {
	if doubt {
		return v1beta1.NotificationUnknown
	}
	return v1beta1.NotificationFailed
}

// sendError returns the error of a sender. What is none says nothing of the message, and may have secrets.
func sendError(err error) *outbox.SendError {
	var failed *outbox.SendError
	if errors.As(err, &failed) {
		return failed
	}
	return &outbox.SendError{Class: outbox.Maybe, Reason: "the sender failed, and does not know whether it was sent"}
}

// tryAgain has a notification be tried again. While it may have been sent before, it stays Sending.
func tryAgain(n *v1beta1.NotificationStatus, doubt bool, retryAfter time.Duration, now time.Time) {
	n.State = v1beta1.NotificationPending
	if doubt {
		n.State = v1beta1.NotificationSending
	}
	wait := max(backoff(n.Attempts), retryAfter)
	n.NextTime = ptr.To(metav1.NewTime(now.Add(wait)))
}

func backoff(attempts int32) time.Duration {
	wait := firstRetry
	for range attempts - 1 {
		if wait = min(2*wait, lastRetry); wait == lastRetry {
			break
		}
	}
	return wait
}

// end records that nothing more is done. The texts are not kept.
func end(n *v1beta1.NotificationStatus, state v1beta1.NotificationState, message string) {
	n.State, n.Message, n.NextTime = state, endpoint.Cut(message), nil
	if n.Texts != nil {
		sum := sha256.Sum256([]byte(n.Texts.Title + "\n" + n.Texts.Message))
		n.Hash, n.Texts = hex.EncodeToString(sum[:]), nil
	}
}
