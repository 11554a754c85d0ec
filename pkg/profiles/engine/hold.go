// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// keepHold sees to it that the hold is as status.hold says, which was stored before. While no transition is under way,
// that is what the profile asks for in the state now. A profile that is Paused keeps what was stored.
func (t *term) keepHold(ctx context.Context, v *view) (moved, stop bool, err error) {
	if !v.acts && !v.paused() {
		return false, false, nil
	}
	if v.acts && v.nodeProfile.Status.Transition == nil {
		machine.HoldForState(v.next, asking(v))
		if !machine.Same(&v.nodeProfile.Status, &v.next.Status) {
			return true, false, t.write(ctx, v)
		}
	}
	wanted := v.nodeProfile.Status.Hold
	switch {
	case wanted == nil:
		return false, false, t.dropStray(ctx, v)
	case wanted.Stage == v1beta1.StageIdle:
		return t.giveBack(ctx, v)
	case wanted.Source == v1beta1.HoldByTrigger && v.nodeProfile.Status.Transition != nil:
		return false, false, nil // its trigger sees to it
	default:
		return false, false, t.keep(ctx, v)
	}
}

// asking is the profile whose states ask for holds; nil: none does any more.
func asking(v *view) *v1beta1.MaintenanceProfile {
	if v.leaves {
		return nil
	}
	return v.profile
}

// dropStray gives back a hold that nobody has asked for. The cache could show an older version of the NodeProfile.
func (t *term) dropStray(ctx context.Context, v *view) error {
	if v.hold.Hold == nil || v.hold.Ending || !v.acts {
		return nil
	}
	if isNewest, err := t.isNewest(ctx, v); !isNewest {
		return err
	}
	_, err := t.holds.GiveBack(ctx, v.nodeProfile, false)
	return err
}

// isNewest says whether our own server shows the NodeProfile as this visit does. If not, it is visited again.
func (t *term) isNewest(ctx context.Context, v *view) (bool, error) {
	live, err := t.get(ctx, v.name)
	if err != nil || live != nil && live.ResourceVersion == v.nodeProfile.ResourceVersion {
		return err == nil, err
	}
	t.queue.Add(v.name)
	return false, nil
}

// giveBack deletes the hold, and forgets it once it is gone.
func (t *term) giveBack(ctx context.Context, v *view) (moved, stop bool, err error) {
	if isNewest, err := t.isNewest(ctx, v); !isNewest {
		return false, true, err // another leader may have taken the node out of service again
	}
	left, err := t.holds.GiveBack(ctx, v.nodeProfile, false)
	if err != nil {
		return false, false, err
	}
	v.hold = left
	if left.Hold != nil {
		return false, false, nil
	}
	t.kept.forget(v.name)
	v.next.Status.Hold = nil
	return true, false, t.write(ctx, v)
}

// keep creates the hold, or changes it, unless it was seen before that it is as it is wanted.
func (t *term) keep(ctx context.Context, v *view) error {
	wanted := v.nodeProfile.Status.Hold
	if v.hold.Hold != nil && !v.hold.Ending && t.kept.is(v.name, keptAs(wanted, v.hold)) {
		return nil
	}
	if v.hold.Hold == nil && wanted.UID != "" && !v.acts {
		return nil // somebody has deleted it while the profile is Paused
	}
	if isNewest, err := t.isNewest(ctx, v); !isNewest {
		return err // another leader may have given the node back
	}
	seen, err := t.holds.Keep(ctx, v.nodeProfile, hold.Want{
		Stage: wanted.Stage, Drain: &wanted.Drain, Exactly: true,
		Reason: fmt.Sprintf("state %s of profile %s", v.nodeProfile.Status.State, v.nodeProfile.Spec.Profile),
	})
	if err != nil {
		return fmt.Errorf("could not hold the node: %w", err)
	}
	v.hold = seen
	t.kept.note(v.name, keptAs(wanted, seen))
	return nil
}

// keptAs tells what was wanted of a hold, and which version of it was that.
func keptAs(wanted *v1beta1.NodeProfileHold, seen hold.Seen) string {
	return fmt.Sprintf("%s %s %s %d %+v", wanted.Source, wanted.Stage, seen.Hold.UID, seen.Hold.Generation, wanted.Drain)
}

// words are remembered by name.
type words struct {
	mu sync.Mutex
	of map[string]string
}

func (w *words) is(name, word string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[name] == word
}

func (w *words) note(name, word string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[name] = word
}

func (w *words) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.of, name)
}
