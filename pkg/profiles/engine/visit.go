// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
)

// mostMoves is how many moves a visit makes, so that a NodeProfile that goes round and round holds up no other.
const mostMoves = 32

// moveOn makes one move after the other for a NodeProfile, and says when the next one may be due.
func (t *term) moveOn(ctx context.Context, name string) (again time.Time, err error) {
	if nodeProfile := t.nodeProfile(name); nodeProfile != nil {
		leave, may := t.slow.enter(nodeProfile.Spec.Profile)
		if !may {
			return t.config.Clock.Now().Add(slowAgain), nil
		}
		defer leave()
	}
	for range mostMoves {
		moved, again, err := t.moveOnce(ctx, name)
		if err != nil || !moved {
			return again, err
		}
	}
	return t.config.Clock.Now().Add(time.Second), nil
}

// moveOnce makes one move. If there was none to be made, it says when one may be due.
func (t *term) moveOnce(ctx context.Context, name string) (moved bool, again time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, moveTimeout)
	defer cancel()
	v, err := t.look(ctx, name)
	if err != nil || v.unread() {
		return false, time.Time{}, err
	}
	moved, err = t.move(ctx, v)
	return moved, v.again, err
}

// view is what a visit sees. Nothing in it is to be changed but next.
type view struct {
	name string
	now  time.Time
	// profile is nil if it does not exist any more, and nodeProfile if it does not exist yet.
	profile     *v1beta1.MaintenanceProfile
	nodeProfile *v1beta1.NodeProfile
	// node is nil if it does not exist.
	node *corev1.Node
	hold hold.Seen
	// selected says whether the profile is to be on the node.
	selected bool
	// acts says whether something is done; idleReason is why not, and idleMessage says more.
	acts                    bool
	idleReason, idleMessage string
	// next is the NodeProfile as it is to be stored.
	next *v1beta1.NodeProfile
	// leaves says that the profile is off the node but for its hold, which no state asks for any more.
	leaves bool
	// expired says that the node does not exist for too long, and gone that there is nothing left to look at.
	expired, gone bool
	// isFirst says that it is one of the first ones that wait for a place.
	isFirst bool
	// again is the time when to look again; zero: after a change.
	again time.Time
}

// look looks at a NodeProfile.
func (t *term) look(ctx context.Context, name string) (*view, error) {
	v := &view{name: name, now: t.config.Clock.Now(), nodeProfile: t.nodeProfile(name)}
	v.profile, v.node = t.pairs.take(t, name)
	if v.nodeProfile != nil {
		if err := t.confirm(ctx, v); err != nil || v.nodeProfile == nil {
			return v, err
		}
		v.next = v.nodeProfile.DeepCopy()
		v.profile, v.node = t.profile(v.nodeProfile.Spec.Profile), t.node(v.nodeProfile.Spec.NodeName)
		v.hold = t.holdOf(v.nodeProfile)
	}
	v.selected = v.profile != nil && v.profile.DeletionTimestamp == nil && (v.node == nil || t.selects(v.profile, v.node))
	v.idleReason, v.idleMessage = t.idle(v.profile, v.nodeName())
	v.acts = v.idleReason == ""
	return v, nil
}

// unread says whether the NodeProfile, its profile or its hold cannot be read. Then everything stays as it is until one of
// them changes, and what the ledger says is kept.
func (v *view) unread() bool {
	return v.nodeProfile != nil && v1beta1.WhyUnreadable(v.nodeProfile) != "" || v.profile != nil && v1beta1.WhyUnreadable(v.profile) != "" ||
		v.hold.Hold != nil && v1beta1.WhyUnreadable(v.hold.Hold) != ""
}

func (t *term) selects(profile *v1beta1.MaintenanceProfile, node *corev1.Node) bool {
	selector, err := selection.New(profile, t.config.Label)
	return err == nil && selector.Selects(node)
}

// confirm asks our own server once in each term for a NodeProfile of which something is under way: a former leader may
// have gone on with it, and the cache may not show that yet.
func (t *term) confirm(ctx context.Context, v *view) error {
	status := &v.nodeProfile.Status
	if status.Transition == nil && status.Hold == nil || t.latest.Confirmed(v.name) {
		return nil
	}
	live, err := t.get(ctx, v.name)
	v.nodeProfile = live
	return err
}

// nodeName is the name of the node; empty if neither it nor the NodeProfile is there any more.
func (v *view) nodeName() string {
	switch {
	case v.nodeProfile != nil:
		return v.nodeProfile.Spec.NodeName
	case v.node != nil:
		return v.node.Name
	}
	return ""
}

// idle is the reason why nothing is done for a profile on a node, or on any if it has no name; no reason: it acts. A profile that is gone, or is being deleted, ends what it
// has begun.
func (t *term) idle(profile *v1beta1.MaintenanceProfile, node string) (reason, message string) {
	if profile == nil {
		return "", ""
	}
	if t.config.Other != nil {
		if other := t.config.Other(node); other != "" {
			return v1beta1.ReasonOtherController, text(other)
		}
	}
	if profile.Spec.Mode == v1beta1.ProfileDryRun {
		return v1beta1.ReasonDryRun, ""
	}
	if crash := t.crash(profile); crash != nil {
		return v1beta1.ReasonStoppedAfterCrash, crashMessage(crash)
	}
	if profile.Spec.Mode == v1beta1.ProfilePaused {
		return v1beta1.ReasonPaused, ""
	}
	said, _ := t.vouchers.of(profile)
	return said.reason, said.lacks
}

// paused says whether nothing new starts, but what has begun is finished.
func (v *view) paused() bool {
	switch v.idleReason {
	case v1beta1.ReasonPaused, v1beta1.ReasonStoppedAfterCrash, v1beta1.ReasonAuthorLost, v1beta1.ReasonNotPermitted:
		return true
	}
	return false
}

// move makes the first move that is to be made. It says no if there is none left.
func (t *term) move(ctx context.Context, v *view) (moved bool, err error) {
	if v.nodeProfile == nil {
		return t.attach(ctx, v)
	}
	for _, step := range []func(context.Context, *view) (moved, stop bool, err error){
		t.end, t.begin, t.checkNode, t.adopt, t.giveUp, t.leave, t.keepHold, t.drive, t.decide,
	} {
		moved, stop, err := step(ctx, v)
		if moved || err != nil {
			return moved, err
		}
		if stop {
			break
		}
	}
	if v.gone {
		return false, nil
	}
	return false, t.save(ctx, v)
}

// lookAt has the NodeProfile looked at again at a moment, if nothing else happens before.
func (v *view) lookAt(at time.Time) { v.again = due.Earlier(v.again, at) }
