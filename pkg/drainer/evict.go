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

// evicter asks the API server to remove one pod, once.
type evicter interface {
	evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
	// unprotected fails with errProtected when the pod has become ready, past every cache.
	unprotected(ctx context.Context, pod *corev1.Pod) error
	// delete asks no disruption budget.
	delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error
}

// errProtected says that a pod which was taken to be exempt from its budget is not any more.
var errProtected = errors.New("the pod has become ready")

type apiEvicter struct{ client kubernetes.Interface }

// evict posts the eviction and leaves retries to the caller: the client's own would sleep for
// as long as a Retry-After header says, in the caller's place in line.
func (e apiEvicter) evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
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

func (e apiEvicter) unprotected(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, evictionTimeout)
	defer cancel()
	now, err := e.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return err
	case now.UID != pod.UID:
		return apierrors.NewNotFound(corev1.Resource("pods"), pod.Name)
	case podReady(now):
		return errProtected
	default:
		return nil
	}
}

// delete leaves retries to the caller, as evict does.
func (e apiEvicter) delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
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
