// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// errNoAnswer is a request that the connection did not survive.
var errNoAnswer = errors.New("connection reset by peer")

// newModelClients are clients of the world's API server.
func (w *world) newModelClients() (*kubefake.Clientset, *maintenancefake.Clientset) {
	kube, maintenance := kubefake.NewSimpleClientset(), maintenancefake.NewSimpleClientset()
	for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
		fake.PrependReactor("*", "*", w.answer)
		fake.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			asked := action.(clienttesting.WatchAction).GetWatchRestrictions()
			return true, w.newWatch(action.GetResource(), asked.Fields, asked.ResourceVersion), nil
		})
	}
	return kube, maintenance
}

// answer is what the API server does with the drainer's requests other than evictions and
// deletions, which modelEvicter makes.
func (w *world) answer(action clienttesting.Action) (bool, runtime.Object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	failure, lost := w.requestFails(action)
	if failure != nil && !lost {
		return true, nil, failure
	}
	object, err := w.serve(action)
	if failure != nil {
		return true, nil, failure
	}
	return true, object, err
}

func (w *world) serve(action clienttesting.Action) (runtime.Object, error) {
	switch action.GetVerb() {
	case "get":
		object, err := w.current(action, action.(clienttesting.GetAction).GetName())
		if err != nil {
			return nil, err
		}
		return object.DeepCopyObject(), nil
	case "list":
		list, err := w.store.list(action.GetResource(), action.(clienttesting.ListAction).GetListRestrictions().Fields)
		if pods, ofPods := list.(*corev1.PodList); ofPods {
			w.check.listed(pods, action.(clienttesting.ListAction).GetListRestrictions().Fields)
		}
		return list, err
	case "update":
		return w.serveUpdate(action.(clienttesting.UpdateAction))
	case "patch":
		return w.servePatch(action.(clienttesting.PatchAction))
	default:
		return nil, apierrors.NewMethodNotSupported(action.GetResource().GroupResource(), action.GetVerb())
	}
}

func (w *world) current(action clienttesting.Action, name string) (modelObject, error) {
	object := w.store.get(action.GetResource(), types.NamespacedName{Namespace: action.GetNamespace(), Name: name})
	if object == nil {
		return nil, apierrors.NewNotFound(action.GetResource().GroupResource(), name)
	}
	return object, nil
}

// serveUpdate takes in a hold's status or finalizers: the drainer updates nothing else.
func (w *world) serveUpdate(action clienttesting.UpdateAction) (runtime.Object, error) {
	sent := action.GetObject().(*v1beta1.NodeMaintenance).DeepCopy()
	current, err := w.current(action, sent.Name)
	if err != nil {
		return nil, err
	}
	if sent.ResourceVersion != current.GetResourceVersion() {
		return nil, apierrors.NewConflict(action.GetResource().GroupResource(), sent.Name, nil)
	}
	old := current.(*v1beta1.NodeMaintenance)
	if action.GetSubresource() == "status" {
		next := old.DeepCopy()
		next.Status = sent.Status
		sent = roundTrip(next).(*v1beta1.NodeMaintenance)
		w.check.statusWritten(old, sent)
	} else {
		sent.Status = old.Status
	}
	if !sent.DeletionTimestamp.IsZero() && len(sent.Finalizers) == 0 {
		w.trace("hold %s ends", sent.Name)
		w.store.remove(holdsResource, keyOf(sent))
		return sent, nil
	}
	w.store.put(holdsResource, sent)
	return sent.DeepCopy(), nil
}

// servePatch patches a node: the drainer patches nothing else.
func (w *world) servePatch(action clienttesting.PatchAction) (runtime.Object, error) {
	current, err := w.current(action, action.GetName())
	if err != nil {
		return nil, err
	}
	patched, err := patchedNode(current.(*corev1.Node), action)
	if err != nil {
		return nil, err
	}
	w.store.put(nodesResource, patched)
	w.trace("node %s patched: unschedulable=%t marked=%t", patched.Name, patched.Spec.Unschedulable, marked(patched))
	return patched.DeepCopy(), nil
}

// requestFails says whether a request gets an error, and whether the API server has done what it
// asks for all the same.
func (w *world) requestFails(action clienttesting.Action) (failure error, lost bool) {
	w.requests++
	if !w.faults.on || w.rngFor("request", w.requests).Float64() >= w.faults.requests {
		return nil, false
	}
	dice := w.rngFor("failure", w.requests)
	name, resource := action.GetVerb(), action.GetResource().GroupResource()
	w.trace("request fails: %s %s %s", action.GetVerb(), resource, action.GetSubresource())
	switch dice.IntN(4) {
	case 0:
		return apierrors.NewConflict(resource, name, nil), false
	case 1:
		return apierrors.NewInternalError(errors.New("etcd is slow")), dice.IntN(2) == 0
	case 2:
		return apierrors.NewTooManyRequests("too many requests", 1), false
	default:
		return errNoAnswer, dice.IntN(2) == 0
	}
}
