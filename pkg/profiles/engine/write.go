// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"hash/fnv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// wordsInterval is how long after one write of a NodeProfile the next one may follow that changes words alone: numbers
// and names that come with results that are the same.
const wordsInterval = time.Minute

// firstInterval is wordsInterval for the first ones that wait for a place: people watch them.
const firstInterval = 5 * time.Second

// get asks our own server for a NodeProfile; nil if there is none.
func (t *term) get(ctx context.Context, name string) (*v1beta1.NodeProfile, error) {
	live, err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		t.latest.Gone(name, "")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.latest.Show(live)
	return live, nil
}

// write stores the status. It fails with a conflict if the NodeProfile was written meanwhile.
func (t *term) write(ctx context.Context, v *view) error {
	reportHold(v) // else a step after a drain would be stored as done, and the drain not
	t.bound(&v.next.Status)
	written, err := t.config.Maintenance.MaintenanceV1beta1().NodeProfiles().UpdateStatus(ctx, v.next, metav1.UpdateOptions{})
	if err != nil {
		return t.refused(ctx, v, err)
	}
	statusWrites.Inc()
	t.latest.Show(written)
	t.written.note(v.name, v.now)
	t.tell(v.nodeProfile, written)
	if needsPlace(v.nodeProfile) || needsPlace(written) {
		t.admitter.kick()
	}
	v.nodeProfile = written
	return nil
}

// refused reads again what could not be written: what was read before is old.
func (t *term) refused(ctx context.Context, v *view, err error) error {
	if apierrors.IsNotFound(err) {
		return t.settled(v, err)
	}
	if _, readErr := t.get(ctx, v.name); readErr != nil {
		t.latest.Doubt(v.name)
	}
	return err
}

// save stores what was found out, if it is not stored already. Words alone wait until some time after the last write.
func (t *term) save(ctx context.Context, v *view) error {
	defer t.lockTelling(v.nodeProfile.Spec.NodeName)()
	t.notify(v)
	t.report(v)
	t.bound(&v.next.Status)
	if machine.Same(&v.nodeProfile.Status, &v.next.Status) {
		return nil
	}
	interval := wordsInterval
	if v.isFirst {
		interval = firstInterval
	}
	if next := t.written.last(v.name).Add(interval); v.now.Before(next) && machine.SameResults(&v.nodeProfile.Status, &v.next.Status) {
		v.lookAt(next)
		return nil
	}
	return t.write(ctx, v)
}

// lockTelling has the NodeProfiles of a node make notifications one after the other, so that what they are to send once
// for all is made once.
func (t *term) lockTelling(node string) (unlock func()) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(node))
	mu := &t.telling[hash.Sum32()%uint32(len(t.telling))]
	mu.Lock()
	return mu.Unlock
}

// notify makes the notifications that are due.
func (t *term) notify(v *view) {
	if t.config.Notify == nil || !v.acts || v.profile == nil || v.next.Status.State == "" {
		return
	}
	siblings := t.siblings(v.nodeProfile)
	v.lookAt(t.config.Notify(Telling{
		Profile: v.profile, NodeProfile: v.next, Siblings: siblings, LastProfile: t.alias(changedLast(v.next, siblings)),
		Node: v.node, Now: v.now,
	}))
}

// siblings are the other NodeProfiles of the node.
func (t *term) siblings(nodeProfile *v1beta1.NodeProfile) []*v1beta1.NodeProfile {
	var others []*v1beta1.NodeProfile
	for _, other := range t.indexed(byNode, nodeProfile.Spec.NodeName) {
		if other.Name != nodeProfile.Name {
			others = append(others, other)
		}
	}
	return others
}
