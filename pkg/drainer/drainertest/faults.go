// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"errors"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
)

// Fault says how a request fails; a nil failure lets it pass. With carriedOut the server does what
// it was asked for all the same, and only its answer is lost. It is called under the server's lock.
type Fault func(action clienttesting.Action) (carriedOut bool, failure error)

// Inject has requests fail until Heal is called. Of several faults that fit, the last one counts.
func (s *Server) Inject(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault)
}

// Heal takes back all that was injected.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) fault(action clienttesting.Action) (carriedOut bool, failure error) {
	for i := len(s.faults) - 1; i >= 0 && failure == nil; i-- {
		carriedOut, failure = s.faults[i](action)
	}
	return carriedOut, failure
}

// Failing fails the requests of a verb for a resource that all the conditions match.
func Failing(verb, resource string, failure error, matches ...func(clienttesting.Action) bool) Fault {
	return func(action clienttesting.Action) (bool, error) {
		if action.GetVerb() != verb || action.GetResource().Resource != resource {
			return false, nil
		}
		for _, match := range matches {
			if !match(action) {
				return false, nil
			}
		}
		return false, failure
	}
}

// NotYou is the refusal of a client that lacks a permission.
func NotYou(resource string) error {
	return apierrors.NewForbidden(corev1.Resource(resource), "x", errors.New("not you"))
}

// ServerDown is the answer of a server that fails.
func ServerDown() error { return apierrors.NewInternalError(errors.New("the server is down")) }

// OfMain matches requests for objects themselves, not for their subresources.
func OfMain(action clienttesting.Action) bool { return action.GetSubresource() == "" }

// OfStatus matches requests for the status of objects.
func OfStatus(action clienttesting.Action) bool { return action.GetSubresource() == "status" }

// OfHold matches updates of the NodeMaintenance of that name.
func OfHold(name string) func(clienttesting.Action) bool {
	return func(action clienttesting.Action) bool {
		return action.(clienttesting.UpdateAction).GetObject().(metav1.Object).GetName() == name
	}
}

// WithCause adds a cause to a refusal.
func WithCause(err *apierrors.StatusError, cause metav1.CauseType, message string) error {
	if err.ErrStatus.Details == nil {
		err.ErrStatus.Details = &metav1.StatusDetails{}
	}
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: cause, Message: message})
	return err
}

// WebhookRefusal is an admission webhook's answer to an eviction: KubeVirt's while it moves the
// virtual machine away, with the given HTTP status code.
func WebhookRefusal(code int32) error {
	refusal := &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code,
		Message: `admission webhook "evict.kubevirt.io" denied the request: Eviction triggered evacuation of VMI`,
	}}
	if code == http.StatusTooManyRequests {
		refusal.ErrStatus.Reason = metav1.StatusReasonTooManyRequests
	}
	return refusal
}
