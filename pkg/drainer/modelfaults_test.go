// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// evictionFault is what befalls one eviction or deletion.
type evictionFault struct {
	// before is how long the request takes to the API server, after the answer back.
	before, after time.Duration
	// answer is what the drainer hears instead of the truth.
	answer error
	// carriedOut says that the API server did what it was asked for all the same.
	carriedOut bool
	// half says that it took the room of the budget, and no more.
	half bool
}

// evictionFails decides by the pod and how often it was posted. The caller holds the lock.
func (w *world) evictionFails(uid types.UID) evictionFault {
	record := w.pods[uid]
	if record == nil {
		return evictionFault{} // the check has said so
	}
	record.posts++
	dice := w.rngFor("eviction/"+string(uid), record.posts)
	var fault evictionFault
	if w.faults.latency > 0 {
		fault.before = time.Duration(dice.Int64N(int64(w.faults.latency)))
		fault.after = time.Duration(dice.Int64N(int64(w.faults.latency)))
	}
	// Where the drainer is killed meanwhile, the request may still be carried out, or not.
	fault.carriedOut = dice.IntN(2) == 0
	if !w.faults.on || dice.Float64() >= w.faults.evictions {
		return fault
	}
	switch dice.IntN(7) {
	case 0:
		code := int32(http.StatusForbidden)
		if dice.IntN(2) == 0 {
			code = http.StatusTooManyRequests
		}
		fault.answer, fault.carriedOut = drainertest.WebhookRefusal(code), false
	case 1:
		fault.answer, fault.carriedOut = apierrors.NewTooManyRequests("too many requests, please try again later",
			dice.IntN(3)), false
	case 2:
		fault.answer, fault.carriedOut = namespaceTerminating(record.name.Namespace), false
	case 3:
		fault.answer = apierrors.NewInternalError(fmt.Errorf("etcdserver: request timed out"))
	case 4:
		fault.half = true
	default:
		fault.answer = errNoAnswer
	}
	return fault
}

func namespaceTerminating(namespace string) error {
	refusal := apierrors.NewForbidden(corev1.Resource("pods"), "",
		fmt.Errorf("namespace %s is being terminated", namespace))
	return drainertest.WithCause(refusal, corev1.NamespaceTerminatingCause, "")
}
