// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/admission"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// write is a write of one NodeMaintenance.
type write struct {
	operation admission.Operation
	user      string
	// hold is what is to be stored; nil where it is to be deleted.
	hold *maintenance.NodeMaintenance
	// old is what is stored; nil where nothing is.
	old *maintenance.NodeMaintenance
}

// right is what RBAC must grant for the node that the write is about.
type right struct {
	verb, subresource string
	// why says what of the write asks for it, where that is not the write itself.
	why string
}

// stored is what says which node the write is about: never what an update would make of it.
func (w write) stored() *maintenance.NodeMaintenance {
	if w.operation == admission.Create {
		return w.hold
	}
	return w.old
}

// needs are the rights that the write asks for, at least one.
func (w write) needs() []right {
	switch w.operation {
	case admission.Create:
		return append([]right{{verb: "create", subresource: "maintenance"}}, w.force()...)
	case admission.Update:
		rights := []right{{verb: "update", subresource: "maintenance"}}
		if w.anothers() && w.changesHold() {
			rights = append(rights, w.holdOfAnother("update"))
		}
		return append(rights, w.force()...)
	default:
		rights := []right{{verb: "delete", subresource: "maintenance"}}
		if w.anothers() {
			rights = append(rights, w.holdOfAnother("delete"))
		}
		return rights
	}
}

func (w write) anothers() bool { return w.old.Spec.Requestor != w.user }

func (w write) holdOfAnother(verb string) right {
	return right{verb: verb, subresource: "holds", why: fmt.Sprintf("a hold of %q", w.old.Spec.Requestor)}
}

// force is what a drain asks for that spares other people's pods less than they ask for
// themselves. It is asked for whenever such a drain is changed, but for words.
func (w write) force() []right {
	if w.old != nil && (!w.changesDrain() || w.pauses()) {
		return nil
	}
	drain := &w.hold.Spec.Drain
	switch {
	case drain.OnTimeout == maintenance.OnTimeoutDelete:
		return []right{{verb: "force", subresource: "maintenance", why: "spec.drain.onTimeout: Delete"}}
	case drain.GracePeriodSeconds != nil:
		return []right{{verb: "force", subresource: "maintenance", why: "spec.drain.gracePeriodSeconds"}}
	default:
		return nil
	}
}

// changesHold says whether more changes than labels and annotations. An owner is an end: the
// cluster's garbage collector deletes what is owned by something that is not there. And a finalizer
// keeps a hold from ending.
func (w write) changesHold() bool {
	return !apiequality.Semantic.DeepEqual(w.hold.Spec, w.old.Spec) ||
		!apiequality.Semantic.DeepEqual(w.hold.OwnerReferences, w.old.OwnerReferences) ||
		!apiequality.Semantic.DeepEqual(w.hold.Finalizers, w.old.Finalizers)
}

// changesDrain says whether more changes than the reason and the metadata.
func (w write) changesDrain() bool {
	changed := w.hold.Spec
	changed.Reason = w.old.Spec.Reason
	return !apiequality.Semantic.DeepEqual(changed, w.old.Spec)
}

// pauses says whether the write does no more than stop the drain. Whoever may change the hold may
// do that; to go on asks for force again.
func (w write) pauses() bool {
	return w.hold.Spec.Stage != maintenance.StageDrain && apiequality.Semantic.DeepEqual(w.hold.Spec.Drain, w.old.Spec.Drain)
}
