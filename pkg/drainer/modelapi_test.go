// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// errNoAnswer is a request that the connection did not survive.
var errNoAnswer = errors.New("connection reset by peer")

// served has each request checked that the drainer makes through clients.
func (w *world) served(action clienttesting.Action, before drainertest.Object, answer runtime.Object) {
	switch got := answer.(type) {
	case *corev1.PodList:
		w.check.listed(got, action.(clienttesting.ListAction).GetListRestrictions().Fields)
	case *corev1.Node:
		w.check.cordonChanged(before.(*corev1.Node), got)
		w.trace("node %s patched: unschedulable=%t marked=%t", got.Name, got.Spec.Unschedulable, (nodemarks.Annotated(got) || nodemarks.DrainTainted(got)))
	case *v1beta1.NodeMaintenance:
		if action.GetSubresource() == "status" {
			w.check.statusWritten(before.(*v1beta1.NodeMaintenance), got)
		}
	}
}

// changed keeps the records of pods up to date.
func (w *world) changed(before, after drainertest.Object) {
	switch was := before.(type) {
	case *v1beta1.NodeMaintenance:
		if after == nil {
			w.trace("hold %s ends", was.Name)
		}
	case *corev1.Pod:
		switch {
		case after == nil:
			w.pods[was.UID].ended = time.Now()
			w.trace("pod %s (%s) is gone from %s", was.Name, was.UID, was.Spec.NodeName)
		case was.DeletionTimestamp.IsZero() && after.GetDeletionTimestamp() != nil:
			w.pods[was.UID].terminating = time.Now()
		}
	}
}

// serving is how an eviction is carried out.
type serving struct {
	// ours says that the drainer that runs now posted it, at the time posted.
	ours   bool
	posted time.Time
	// half has it end when it has taken the room of the budget.
	half bool
}

// evictPod has the server evict a pod, and checks what room of budgets that took. The caller holds
// the lock.
func (w *world) evictPod(eviction *policyv1.Eviction, as serving) error {
	result := w.server.Evict(drainertest.Eviction{Eviction: eviction, Half: as.half})
	if as.ours && result.RefusedBy != nil {
		w.check.refusedByBudget(result.Pod, result.RefusedBy, as.posted)
	}
	if result.Took == nil {
		return result.Err
	}
	w.check.saw[map[bool]string{true: "room taken", false: "room taken by another"}[as.ours]]++
	changed := w.pods[result.Pod.UID].changed
	if !as.ours || !podutils.IsPodReady(result.Pod) || !changed.Before(as.posted.Add(-w.faults.lag)) {
		w.check.roomLost(drainertest.KeyOf(result.Took)) // the drainer may not know that it would take any
	}
	return result.Err
}

// deletionOf deletes exactly this pod, with the pod's own grace period.
func deletionOf(pod *corev1.Pod) *metav1.DeleteOptions {
	return drainertest.EvictionOf(pod).DeleteOptions
}

// livePod is the pod of that name; nil when there is none.
func (w *world) livePod(key types.NamespacedName) *corev1.Pod {
	return drainertest.Find[*corev1.Pod](w.store, key.Namespace, key.Name)
}

// requestFails says whether a request gets an error, and whether the API server has done what it
// asks for all the same.
func (w *world) requestFails(action clienttesting.Action) (carriedOut bool, failure error) {
	w.requests++
	if !w.faults.on || w.rngFor("request", w.requests).Float64() >= w.faults.requests {
		return false, nil
	}
	dice := w.rngFor("failure", w.requests)
	name, resource := action.GetVerb(), action.GetResource().GroupResource()
	w.trace("request fails: %s %s %s", action.GetVerb(), resource, action.GetSubresource())
	switch dice.IntN(4) {
	case 0:
		return false, apierrors.NewConflict(resource, name, nil)
	case 1:
		return dice.IntN(2) == 0, apierrors.NewInternalError(errors.New("etcd is slow"))
	case 2:
		return false, apierrors.NewTooManyRequests("too many requests", 1)
	default:
		return dice.IntN(2) == 0, errNoAnswer
	}
}
