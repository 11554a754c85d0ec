// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Eviction is one request to evict a pod.
type Eviction struct {
	*policyv1.Eviction
	// Half has the server fail when it has taken the room of the pod's budget, before it deletes
	// the pod.
	Half bool
}

// Evicted is what came of an eviction.
type Evicted struct {
	// Pod is the pod of that name, as it was; nil when there was none.
	Pod *corev1.Pod
	// Took is the budget whose room was taken, as it was before; nil when none was needed.
	Took *policyv1.PodDisruptionBudget
	// RefusedBy is the budget that had no room; nil when none refused.
	RefusedBy *policyv1.PodDisruptionBudget
	// Err is the answer; nil when the pod is being deleted.
	Err error
}

// Evict does what the eviction handler of kube-apiserver 1.36 does, in its order: among other things
// it takes the room of a budget before it looks at the UID that the request names. It is to be called
// under the lock.
func (s *Server) Evict(eviction Eviction) Evicted {
	pod := Find[*corev1.Pod](s.Store, eviction.Namespace, eviction.Name)
	if pod == nil {
		return Evicted{Err: apierrors.NewNotFound(corev1.Resource("pods"), eviction.Name)}
	}
	result := Evicted{Pod: pod}
	if s.takeRoom(pod, &result); result.Err != nil {
		return result
	}
	if eviction.Half {
		result.Err = apierrors.NewInternalError(errors.New("etcdserver: request timed out"))
		return result
	}
	result.Err = s.DeletePod(pod, eviction.DeleteOptions)
	return result
}

// countedEviction is an eviction that came through a client. A refusal that was asked for counts.
func (s *Server) countedEviction(eviction *policyv1.Eviction) error {
	if _, err := s.evictable(eviction); err != nil {
		return err
	}
	if refusal := s.refusals[eviction.Name]; refusal != nil {
		return refusal
	}
	return s.Evict(Eviction{Eviction: eviction}).Err
}

// evictable counts an eviction of a pod that is there, and must name the pod's UID.
func (s *Server) evictable(eviction *policyv1.Eviction) (*corev1.Pod, error) {
	pod := Find[*corev1.Pod](s.Store, eviction.Namespace, eviction.Name)
	if pod == nil {
		return nil, apierrors.NewNotFound(corev1.Resource("pods"), eviction.Name)
	}
	options := eviction.DeleteOptions
	if options == nil || options.Preconditions == nil || options.Preconditions.UID == nil {
		return nil, apierrors.NewBadRequest("the eviction names no UID")
	}
	s.evictions[*options.Preconditions.UID]++
	return pod, nil
}

// RefuseEviction has the server answer evictions of the pods of that name with an error; nil lets
// them go again.
func (s *Server) RefuseEviction(pod string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[pod] = err
}

// Evictions is how many times clients have asked for the eviction of the pod of that UID.
func (s *Server) Evictions(pod types.UID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.evictions[pod]
}

// EvictionOf is the eviction of exactly this pod, with the pod's own grace period.
func EvictionOf(pod *corev1.Pod) *policyv1.Eviction {
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))},
	}
}
