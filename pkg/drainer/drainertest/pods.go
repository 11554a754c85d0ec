// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// defaultGrace is how many seconds a pod gets that says nothing.
const defaultGrace = 30

// DeletePod is a graceful deletion: the pod is terminating from then on, and EndPod ends it. It is to
// be called under the lock. Options may be nil.
func (s *Server) DeletePod(pod *corev1.Pod, options *metav1.DeleteOptions) error {
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	if p := options.Preconditions; p != nil && p.UID != nil && *p.UID != pod.UID {
		mismatch := errors.New("the UID in the precondition does not match")
		return apierrors.NewConflict(corev1.Resource("pods"), pod.Name, mismatch)
	}
	grace, began := gracePeriod(pod, options), time.Now()
	if !pod.DeletionTimestamp.IsZero() {
		before := ptr.Deref(pod.DeletionGracePeriodSeconds, defaultGrace)
		if grace >= before {
			return nil // a second deletion can only shorten the first
		}
		began = pod.DeletionTimestamp.Add(-time.Duration(before) * time.Second)
	}
	ends := metav1.NewTime(began.Add(time.Duration(grace) * time.Second))
	next := pod.DeepCopy()
	next.DeletionTimestamp, next.DeletionGracePeriodSeconds = &ends, &grace
	s.Store.Put(next)
	if grace == 0 {
		s.EndPod(next)
	}
	return nil
}

// gracePeriod is how many seconds the pod has to stop.
func gracePeriod(pod *corev1.Pod, options *metav1.DeleteOptions) int64 {
	switch {
	case options.GracePeriodSeconds != nil:
		return *options.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		return *pod.Spec.TerminationGracePeriodSeconds
	default:
		return defaultGrace
	}
}

// EndPod removes a pod that has stopped, unless finalizers keep it. It is to be called under the
// lock.
func (s *Server) EndPod(pod *corev1.Pod) {
	if len(pod.Finalizers) == 0 {
		s.Store.Remove(pod)
	}
}
