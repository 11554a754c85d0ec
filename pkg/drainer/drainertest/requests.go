// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// serve carries out a request.
func (s *Server) serve(action clienttesting.Action) (runtime.Object, error) {
	switch action.GetVerb() {
	case "get":
		return s.get(action.(clienttesting.GetAction))
	case "list":
		return s.list(action.(clienttesting.ListAction))
	case "create":
		return s.create(action.(clienttesting.CreateAction))
	case "update":
		return s.update(action.(clienttesting.UpdateAction))
	case "patch":
		return s.patch(action.(clienttesting.PatchAction))
	case "delete":
		return nil, s.delete(action.(clienttesting.DeleteActionImpl))
	default:
		return nil, apierrors.NewMethodNotSupported(action.GetResource().GroupResource(), action.GetVerb())
	}
}

// current is the object that a request is about.
func (s *Server) current(action clienttesting.Action, name string) (Object, error) {
	key := types.NamespacedName{Namespace: action.GetNamespace(), Name: name}
	object := s.Store.table(action.GetResource()).objects[key]
	if object == nil {
		return nil, apierrors.NewNotFound(action.GetResource().GroupResource(), name)
	}
	if why := v1beta1.WhyUnreadable(object); why != "" {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonStoreReadError, Code: http.StatusInternalServerError, Message: why}}
	}
	return object, nil
}

func (s *Server) get(action clienttesting.GetAction) (runtime.Object, error) {
	object, err := s.current(action, action.GetName())
	if err != nil {
		return nil, err
	}
	return object.DeepCopyObject(), nil
}

func (s *Server) list(action clienttesting.ListAction) (runtime.Object, error) {
	list, err := s.Store.list(action.GetResource(), action.GetNamespace(), action.GetListRestrictions().Fields)
	if err == nil {
		s.served(action, nil, list)
	}
	return list, err
}

func (s *Server) create(action clienttesting.CreateAction) (runtime.Object, error) {
	if eviction, isEviction := action.GetObject().(*policyv1.Eviction); isEviction {
		return nil, s.countedEviction(eviction)
	}
	object := action.GetObject().DeepCopyObject().(Object)
	if _, err := s.current(action, object.GetName()); !apierrors.IsNotFound(err) {
		return nil, apierrors.NewAlreadyExists(action.GetResource().GroupResource(), object.GetName())
	}
	if object.GetUID() == "" {
		object.SetUID(types.UID(fmt.Sprintf("%s-%d", UID(object.GetName()), s.Store.Version())))
	}
	s.Store.Put(object)
	return object.DeepCopyObject(), nil
}

// update replaces an object, or its status; it must name the resource version that it has read.
func (s *Server) update(action clienttesting.UpdateAction) (runtime.Object, error) {
	sent := action.GetObject().(Object)
	before, err := s.current(action, sent.GetName())
	if err != nil {
		return nil, err
	}
	if sent.GetResourceVersion() != before.GetResourceVersion() {
		return nil, apierrors.NewConflict(action.GetResource().GroupResource(), sent.GetName(), nil)
	}
	// Through JSON, as times lose what they have below a second.
	after, err := roundTrip(part(action.GetSubresource(), before, sent))
	if err != nil {
		return nil, err
	}
	return s.write(action, before, after), nil
}

func (s *Server) patch(action clienttesting.PatchAction) (runtime.Object, error) {
	before, err := s.current(action, action.GetName())
	if err != nil {
		return nil, err
	}
	patched, err := Patched(before, action.GetPatchType(), action.GetPatch())
	if err != nil {
		return nil, err
	}
	return s.write(action, before, part(action.GetSubresource(), before, patched)), nil
}

// part takes from what was sent only what the request is for: the status, or all but the status.
func part(subresource string, before, sent Object) Object {
	result, other := sent.DeepCopyObject().(Object), before
	if subresource == "status" {
		result, other = before.DeepCopyObject().(Object), sent
	}
	switch o := result.(type) {
	case *corev1.Node:
		o.Status = *other.(*corev1.Node).Status.DeepCopy()
	case *v1beta1.NodeMaintenance:
		approvals := approvalsOf(before.(*v1beta1.NodeMaintenance))
		o.Status = *other.(*v1beta1.NodeMaintenance).Status.DeepCopy()
		keepApprovals(o, approvals)
	case *v1beta1.MaintenancePolicy:
		o.Status = *other.(*v1beta1.MaintenancePolicy).Status.DeepCopy()
	case *v1beta1.MaintenanceProfile:
		o.Status = *other.(*v1beta1.MaintenanceProfile).Status.DeepCopy()
	case *v1beta1.NodeProfile:
		o.Status = *other.(*v1beta1.NodeProfile).Status.DeepCopy()
	case *v1beta1.ScheduledEvent:
		o.Status = *other.(*v1beta1.ScheduledEvent).Status.DeepCopy()
	}
	return result
}

func approvalsOf(hold *v1beta1.NodeMaintenance) []v1beta1.MaintenanceDecision {
	if hold.Status.Admission == nil {
		return nil
	}
	return hold.Status.Admission.Approvals
}

// keepApprovals has a write of a status leave the approvals as they are, as the registry does.
func keepApprovals(hold *v1beta1.NodeMaintenance, approvals []v1beta1.MaintenanceDecision) {
	if hold.Status.Admission == nil && len(approvals) > 0 {
		hold.Status.Admission = &v1beta1.MaintenanceAdmission{}
	}
	if hold.Status.Admission != nil {
		hold.Status.Admission.Approvals = approvals
	}
}

// write stores what became of an object, which ends with its last finalizer.
func (s *Server) write(action clienttesting.Action, before, after Object) runtime.Object {
	if action.GetResource() == Holds && action.GetSubresource() == "status" {
		s.statusWrites[after.GetName()] = append(s.statusWrites[after.GetName()], time.Now())
	}
	if after.GetDeletionTimestamp() != nil && len(after.GetFinalizers()) == 0 {
		s.Store.Remove(after)
	} else {
		s.Store.Put(after)
	}
	s.served(action, before, after)
	return after.DeepCopyObject()
}

// delete deletes an object. A NodeMaintenance or a Lease is deleted only by who names its UID and version: to
// delete one that has changed meanwhile is never right. Of its own NodeMaintenances, the server names the UID alone.
func (s *Server) delete(action clienttesting.DeleteActionImpl) error {
	object, err := s.current(action, action.GetName())
	if err != nil {
		return err
	}
	options := action.GetDeleteOptions()
	if pod, isPod := object.(*corev1.Pod); isPod {
		return s.DeletePod(pod, &options)
	}
	if guarded(action.GetResource()) && !names(options.Preconditions, object) {
		return apierrors.NewConflict(action.GetResource().GroupResource(), object.GetName(), nil)
	}
	s.deleteObject(object)
	return nil
}

// guarded says whether objects of the resource may be deleted only by who names what is to be deleted.
func guarded(resource schema.GroupVersionResource) bool {
	return resource == Holds || resource == Leases || resource == Ledgers || resource == NodeProfiles
}

// names says whether the preconditions name the object as it is.
func names(p *metav1.Preconditions, object Object) bool {
	if p == nil || p.UID == nil || *p.UID != object.GetUID() {
		return false
	}
	if p.ResourceVersion == nil {
		hold, isHold := object.(*v1beta1.NodeMaintenance)
		return isHold && v1beta1.IsServerRequestor(hold.Spec.Requestor)
	}
	return *p.ResourceVersion == object.GetResourceVersion()
}

// deleteObject removes an object, or marks it as being deleted while finalizers keep it.
func (s *Server) deleteObject(object Object) {
	if len(object.GetFinalizers()) == 0 {
		s.Store.Remove(object)
		return
	}
	marked := object.DeepCopyObject().(Object)
	now := metav1.Now().Rfc3339Copy()
	marked.SetDeletionTimestamp(&now)
	s.Store.Put(marked)
}
