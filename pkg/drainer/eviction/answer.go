// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"errors"
	"net/http"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Outcome is what became of one request to remove a pod. The words are also values of the label
// outcome of the metric evictions_total.
type Outcome string

// The outcomes. The table in the package's documentation says which answer means which.
const (
	// Evicted means that the API server accepted the request.
	Evicted Outcome = "evicted"
	// Gone means that the pod is not there any more.
	Gone Outcome = "gone"
	// DisruptionBudget means that a budget of the pod has no room.
	DisruptionBudget Outcome = "disruption_budget"
	// AdmissionWebhook means that a webhook refused the request.
	AdmissionWebhook Outcome = "admission_webhook"
	// Throttled means that the API server is overloaded and refused the request.
	Throttled Outcome = "throttled"
	// NamespaceTerminating means that the pod's namespace is being deleted.
	NamespaceTerminating Outcome = "namespace_terminating"
	// NotPosted means that no request was made, since the pod had become ready.
	NotPosted Outcome = "not_posted"
	// Failed means any other error. It also means that no answer came.
	Failed Outcome = "failed"
)

// Answer is what the API server said to one request to remove a pod.
type Answer struct {
	// Outcome is what the answer means.
	Outcome Outcome
	// Object names the webhook that refused the request, as webhook/NAME; else empty.
	Object string
	// Message is the answer in the API server's words; empty for Evicted and NotPosted.
	Message string

	// retryAfter is the wait that the API server asked for, at most mostBackoff; zero when it asked for
	// none.
	retryAfter time.Duration
	// unknown says that the request may have succeeded all the same, or may at least have taken room of
	// a budget.
	unknown bool
}

// webhookDenial matches the start of the message with which the API server reports a webhook's refusal.
// The webhook chooses the status code itself, so only the message tells its refusal from others.
var webhookDenial = regexp.MustCompile(`^admission webhook "([^"]+)" denied the request`)

// newAnswer says what the result of a request means. A webhook's refusal is known by its message,
// everything else by the status code and causes.
func newAnswer(err error) Answer {
	switch {
	case err == nil:
		return Answer{Outcome: Evicted}
	case errors.Is(err, ErrProtected):
		return Answer{Outcome: NotPosted}
	}
	a := Answer{Outcome: Failed, Message: err.Error()}
	if seconds, asked := apierrors.SuggestsClientDelay(err); asked {
		// A longer wait is cut to one minute: a proxy that asks for an hour must not stop all evictions
		// for an hour.
		a.retryAfter = min(time.Duration(seconds)*time.Second, mostBackoff)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		a.unknown = true
		return a
	}
	a.read(err, status.Status().Code, status.Status().Message)
	return a
}

// read fills in the outcome from the status that the API server returned.
func (a *Answer) read(err error, code int32, message string) {
	denial := webhookDenial.FindStringSubmatch(message)
	switch {
	case denial != nil:
		a.Outcome, a.Object = AdmissionWebhook, "webhook/"+denial[1]
	case code == http.StatusNotFound:
		a.Outcome = Gone
	case code == http.StatusConflict:
		// The API server takes the budget's room before it compares the UID.
		a.Outcome, a.unknown = Gone, true
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		a.Outcome = NamespaceTerminating
	case code == http.StatusTooManyRequests && apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause):
		a.Outcome = DisruptionBudget
		if cause, found := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); found && cause.Message != "" {
			a.Message = cause.Message
		}
	case code == http.StatusTooManyRequests:
		a.Outcome = Throttled
	case code >= http.StatusInternalServerError:
		a.unknown = true
	}
}
