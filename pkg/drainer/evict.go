// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// evictionTimeout bounds one eviction request. The API server itself gives up on a contended
// budget after about 10 s.
const evictionTimeout = 30 * time.Second

// Evicter asks the API server to remove one pod, once. A nil gracePeriodSeconds leaves the pod its own.
type Evicter interface {
	// Evict asks the pod's disruption budgets. It fails with the API server's answer.
	Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
	// Unprotected fails with ErrProtected when the pod has become ready, past every cache.
	Unprotected(ctx context.Context, pod *corev1.Pod) error
	// Delete asks no disruption budget. It fails with the API server's answer.
	Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
}

// ErrProtected says that a pod which was taken to be exempt from its budget is not any more.
var ErrProtected = errors.New("the pod has become ready")

type apiEvicter struct{ client kubernetes.Interface }

// Evict posts the eviction and leaves retries to the caller: the client's own would sleep for
// as long as a Retry-After header says, in the caller's place in line.
func (e apiEvicter) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	ctx, cancel := context.WithTimeout(ctx, evictionTimeout)
	defer cancel()
	return e.client.CoreV1().RESTClient().Post().
		Namespace(pod.Namespace).
		Resource("pods").
		Name(pod.Name).
		SubResource("eviction").
		Body(newEviction(pod, gracePeriodSeconds)).
		MaxRetries(0).
		Do(ctx).
		Error()
}

func (e apiEvicter) Unprotected(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, evictionTimeout)
	defer cancel()
	now, err := e.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return err
	case now.UID != pod.UID:
		return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
	case podReady(now):
		return ErrProtected
	default:
		return nil
	}
}

// Delete leaves retries to the caller, as Evict does.
func (e apiEvicter) Delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	ctx, cancel := context.WithTimeout(ctx, evictionTimeout)
	defer cancel()
	return e.client.CoreV1().RESTClient().Delete().
		Namespace(pod.Namespace).
		Resource("pods").
		Name(pod.Name).
		Body(deleteOptions(pod, gracePeriodSeconds)).
		MaxRetries(0).
		Do(ctx).
		Error()
}

func newEviction(pod *corev1.Pod, gracePeriodSeconds *int64) *policyv1.Eviction {
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: deleteOptions(pod, gracePeriodSeconds),
	}
}

func deleteOptions(pod *corev1.Pod, gracePeriodSeconds *int64) *metav1.DeleteOptions {
	uid := pod.UID
	return &metav1.DeleteOptions{
		GracePeriodSeconds: gracePeriodSeconds,
		// Another pod of the same name, on another node, is not the one that was meant.
		Preconditions: &metav1.Preconditions{UID: &uid},
	}
}
