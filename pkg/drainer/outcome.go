// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"net/http"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// outcome is what became of one eviction request. The words are also a metric's labels.
type outcome string

const (
	outcomeEvicted              outcome = "evicted"
	outcomeGone                 outcome = "gone"
	outcomeDisruptionBudget     outcome = "disruption_budget"
	outcomeAdmissionWebhook     outcome = "admission_webhook"
	outcomeThrottled            outcome = "throttled"
	outcomeNamespaceTerminating outcome = "namespace_terminating"
	outcomeNotPosted            outcome = "not_posted"
	outcomeFailed               outcome = "failed"
)

// verdict is an outcome with what the API server said to it.
type verdict struct {
	outcome outcome
	// object is what stands in the way, when the answer names it.
	object  string
	message string
	// retryAfter is how long the API server asks to be left alone.
	retryAfter time.Duration
	// unknown says that the eviction may have been carried out all the same, or as far as to take
	// the room of a budget.
	unknown bool
}

// webhookDenial is how the API server begins the message of a webhook's refusal; the status
// code is the webhook's own choice, so only the words tell it from other refusals.
var webhookDenial = regexp.MustCompile(`^admission webhook "([^"]+)" denied the request`)

// judge tells outcomes apart by the words of a webhook's refusal, or else by the status code of the
// answer, as doc.go lists them.
func judge(err error) verdict {
	if err == nil {
		return verdict{outcome: outcomeEvicted}
	}
	if errors.Is(err, ErrProtected) {
		return verdict{outcome: outcomeNotPosted}
	}
	v := verdict{outcome: outcomeFailed, message: err.Error()}
	if seconds, asked := apierrors.SuggestsClientDelay(err); asked {
		// Whoever asks for more gets a minute: a proxy's hour is no reason to evict nothing for an hour.
		v.retryAfter = min(time.Duration(seconds)*time.Second, mostBackoff)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		v.unknown = true
		return v
	}
	answer := status.Status()
	denial := webhookDenial.FindStringSubmatch(answer.Message)
	switch {
	case denial != nil:
		v.outcome, v.object = outcomeAdmissionWebhook, "webhook/"+denial[1]
	case answer.Code == http.StatusNotFound:
		v.outcome = outcomeGone
	case answer.Code == http.StatusConflict:
		// The API server takes the room of the budget before it looks at the UID.
		v.outcome, v.unknown = outcomeGone, true
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		v.outcome = outcomeNamespaceTerminating
	case answer.Code == http.StatusTooManyRequests && apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause):
		v.outcome = outcomeDisruptionBudget
		if cause, found := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); found && cause.Message != "" {
			v.message = cause.Message
		}
	case answer.Code == http.StatusTooManyRequests:
		v.outcome = outcomeThrottled
	case answer.Code >= http.StatusInternalServerError:
		v.unknown = true
	}
	return v
}
