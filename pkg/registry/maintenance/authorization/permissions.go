// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// write is a write of one NodeMaintenance.
type write struct {
	operation admission.Operation
	// subresource is the part of the hold that is written; empty for the hold itself.
	subresource string
	// by is the user who writes.
	by user.Info
	// hold is what is to be stored; nil for a delete.
	hold *v1beta1.NodeMaintenance
	// old is what is stored; nil for a create.
	old *v1beta1.NodeMaintenance
}

// permission is what RBAC must grant for the node that the write is about, or for the hold itself.
type permission struct {
	verb, subresource string
	// ofHold says that it is for a subresource of the hold, not of its node.
	ofHold bool
	// why names the part of the write that needs the permission; empty when every such write needs it.
	why string
}

// stored is the object that names the node that the write is about. For an update it is the stored
// object, not the new one.
func (w write) stored() *v1beta1.NodeMaintenance {
	if w.operation == admission.Create {
		return w.hold
	}
	return w.old
}

// needs are the permissions that the write needs, at least one.
func (w write) needs() []permission {
	switch w.operation {
	case admission.Create:
		return slices.Concat([]permission{{verb: "create", subresource: "maintenance"}}, w.settings(), w.belief())
	case admission.Update:
		permissions := []permission{{verb: "update", subresource: "maintenance"}}
		if w.anothers() && w.changes() {
			permissions = append(permissions, w.holdOfAnother("update"))
		}
		return slices.Concat(permissions, w.settings(), w.belief())
	default:
		permissions := []permission{{verb: "delete", subresource: "maintenance"}}
		if w.anothers() {
			permissions = append(permissions, w.holdOfAnother("delete"))
		}
		return permissions
	}
}

func (w write) anothers() bool { return w.old.Spec.Requestor != w.by.GetName() }

func (w write) holdOfAnother(verb string) permission {
	return permission{verb: verb, subresource: "holds", why: fmt.Sprintf("a hold of %q", w.old.Spec.Requestor)}
}

// force is the permission for a drain that is harder on pods than they ask for: one that deletes them
// after its deadline, or overrides their grace period. Every change of such a drain needs it, except for
// a change of the reason, and for one that only stops the drain.
func (w write) force() []permission {
	if w.old != nil && (!w.changesDrain() || w.pauses()) {
		return nil
	}
	drain := &w.hold.Spec.Drain
	switch {
	case drain.OnTimeout == v1beta1.OnTimeoutDelete:
		return []permission{{verb: "force", subresource: "maintenance", why: "spec.drain.onTimeout: Delete"}}
	case drain.GracePeriodSeconds != nil:
		return []permission{{verb: "force", subresource: "maintenance", why: "spec.drain.gracePeriodSeconds"}}
	default:
		return nil
	}
}

// belief is the permission to tell the server how far a maintenance was that it did not begin itself. The
// server believes that as it believes a status.
func (w write) belief() []permission {
	stored := ""
	if w.old != nil {
		stored = w.old.Annotations[v1beta1.ImportedAnnotation]
	}
	if w.hold.Annotations[v1beta1.ImportedAnnotation] == stored {
		return nil
	}
	return []permission{{verb: "update", subresource: "status", ofHold: true, why: "the annotation " + v1beta1.ImportedAnnotation}}
}

// settings are the permissions for what makes a hold stronger than others.
func (w write) settings() []permission {
	return slices.Concat(w.force(), w.overrideQuorum(), w.bypass(), w.prioritize())
}

// overrideQuorum is the permission for a hold that takes its node whatever the control plane needs.
func (w write) overrideQuorum() []permission {
	if !w.goesFurtherWith(func(spec *v1beta1.NodeMaintenanceSpec) bool { return spec.OverrideQuorum }) {
		return nil
	}
	return []permission{{verb: "overridequorum", subresource: "maintenance", why: "spec.overrideQuorum"}}
}

// bypass is the permission for a hold that does not wait for the policies.
func (w write) bypass() []permission {
	if !w.goesFurtherWith(func(spec *v1beta1.NodeMaintenanceSpec) bool { return spec.BypassPolicies }) {
		return nil
	}
	return []permission{{verb: "bypass", subresource: "maintenance", why: "spec.bypassPolicies"}}
}

// prioritize is the permission for a hold that starts before those of others: where its priority is set above that of
// all others who ask for none, and where it is raised from there.
func (w write) prioritize() []permission {
	before := int32(0)
	if w.old != nil {
		before = max(before, w.old.Spec.Priority)
	}
	if w.hold.Spec.Priority <= before {
		return nil
	}
	return []permission{{verb: "prioritize", subresource: "maintenance", why: "spec.priority above 0"}}
}

// goesFurtherWith says whether the write sets a field that makes a hold stronger, or whether a hold that has it goes
// further or lasts longer than before.
func (w write) goesFurtherWith(set func(*v1beta1.NodeMaintenanceSpec) bool) bool {
	known := w.old != nil && set(&w.old.Spec)
	return set(&w.hold.Spec) && (!known || w.raisesStage() || w.lastsLonger())
}

// raisesStage says whether the write takes the hold to a stage after its present one.
func (w write) raisesStage() bool {
	return w.hold.Spec.Stage != w.old.Spec.Stage &&
		(w.old.Spec.Stage == v1beta1.StageIdle || w.hold.Spec.Stage == v1beta1.StageDrain)
}

// lastsLonger says whether the write has the hold end later than before, or never.
func (w write) lastsLonger() bool {
	now, before := w.hold.Spec.ExpirationSeconds, w.old.Spec.ExpirationSeconds
	return before != nil && (now == nil || *now > *before)
}

// changesDrain says whether the write changes more than the reason and the metadata.
func (w write) changesDrain() bool {
	changed := w.hold.Spec
	changed.Reason = w.old.Spec.Reason
	return !apiequality.Semantic.DeepEqual(changed, w.old.Spec)
}

// pauses says whether the write only stops the drain. Whoever may change the hold may do that. To
// continue the drain needs force again.
func (w write) pauses() bool {
	return w.hold.Spec.Stage != v1beta1.StageDrain && apiequality.Semantic.DeepEqual(w.hold.Spec.Drain, w.old.Spec.Drain)
}
