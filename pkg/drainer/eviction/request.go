// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/util/podutils"
)

// requestTimeout bounds one request. The API server itself retries for about 10 s while others keep
// changing the budget.
const requestTimeout = 30 * time.Second

// Client asks the API server to remove one pod, once, without retries of its own.
type Client interface {
	// Evict posts an eviction, which the pod's disruption budget may refuse. With a nil
	// gracePeriodSeconds the pod's own applies.
	Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
	// Unprotected asks the API server, and no cache, whether the pod is still not ready. It fails with
	// ErrProtected when the pod has become ready.
	Unprotected(ctx context.Context, pod *corev1.Pod) error
	// Delete deletes the pod, whatever its disruption budgets say.
	Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
	// Budget gets the disruption budget from the API server, and no cache.
	Budget(ctx context.Context, name types.NamespacedName) (*policyv1.PodDisruptionBudget, error)
}

// ErrProtected says that a pod that was exempt from its budget has become ready, so that the budget
// protects it.
var ErrProtected = errors.New("the pod has become ready")

// NewClient returns a Client that makes its requests through kube.
func NewClient(kube kubernetes.Interface) Client { return apiClient{kube: kube} }

type apiClient struct{ kube kubernetes.Interface }

// Evict does not use the typed client: that would sleep for as long as a Retry-After header says, while
// the request counts as under way.
func (c apiClient) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.kube.CoreV1().RESTClient().Post().
		Namespace(pod.Namespace).
		Resource("pods").
		Name(pod.Name).
		SubResource("eviction").
		Body(NewEviction(pod, gracePeriodSeconds)).
		MaxRetries(0).
		Do(ctx).
		Error()
}

func (c apiClient) Unprotected(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	now, err := c.kube.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return err
	case now.UID != pod.UID:
		return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
	case podutils.IsPodReady(now):
		return ErrProtected
	default:
		return nil
	}
}

// Delete does not use the typed client, for the same reason as Evict.
func (c apiClient) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.kube.CoreV1().RESTClient().Delete().
		Namespace(pod.Namespace).
		Resource("pods").
		Name(pod.Name).
		Body(NewDeleteOptions(pod, gracePeriodSeconds)).
		MaxRetries(0).
		Do(ctx).
		Error()
}

func (c apiClient) Budget(ctx context.Context, name types.NamespacedName) (*policyv1.PodDisruptionBudget, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.kube.PolicyV1().PodDisruptionBudgets(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
}

// NewEviction returns the eviction of exactly this pod. Its UID is a precondition, so a later pod of
// the same name is safe.
func NewEviction(pod *corev1.Pod, gracePeriodSeconds *int64) *policyv1.Eviction {
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: NewDeleteOptions(pod, gracePeriodSeconds),
	}
}

// NewDeleteOptions returns the options to delete exactly this pod, with its UID as a precondition.
func NewDeleteOptions(pod *corev1.Pod, gracePeriodSeconds *int64) *metav1.DeleteOptions {
	uid := pod.UID
	return &metav1.DeleteOptions{
		GracePeriodSeconds: gracePeriodSeconds,
		Preconditions:      &metav1.Preconditions{UID: &uid},
	}
}
