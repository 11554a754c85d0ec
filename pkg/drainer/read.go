// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// readNode reads the node and its holds from the API server. It fails with errCacheBehind when the node is another one,
// and when it is to be given back, but a hold wants it.
func (l *leader) readNode(ctx context.Context, v *view) result {
	node, maintenances, err := l.watcher.Live.NodeAndHolds(ctx, v.name)
	if err != nil {
		return result{err: err}
	}
	if node == nil || node.UID != v.node.UID {
		return result{err: errCacheBehind}
	}
	v.sees(node)
	holds := make([]holdstatus.Hold, 0, len(maintenances))
	for _, m := range maintenances {
		holds = append(holds, l.hold(v, m, v.memory.holds[m.UID]))
	}
	active, ending := holdstatus.Split(holds)
	v.live = slices.Concat(active, ending)
	if v.situation == holdstatus.Unheld && len(v.live) > 0 || v.situation == holdstatus.Unwanted && len(holdstatus.Lasting(active)) > 0 {
		return result{err: errCacheBehind}
	}
	v.ours = v.beforeOurs()
	return result{}
}

// sees records the node as the API server has just returned it.
func (v *view) sees(node *corev1.Node) {
	v.memory.latest.Wrote(v.node.ResourceVersion, node)
	v.node, v.marks = node, v.sets.Read(node)
	for i, h := range v.Active {
		v.Active[i] = h.On(v.node, v.marks, v.sets)
	}
}

// beforeOurs is what the node was like before it got the marks of ours that it carries; nil: it carries none. Its
// annotation says so, too, if the taint is there as well: a kubelet may write annotations on its own node.
func (v *view) beforeOurs() *v1beta1.NodeBefore {
	before := holdstatus.RecordedBefore(v.live)
	if before == nil && v.marks.Ours && v.marks.Tainted {
		before = &v.marks.Note.Before
	}
	if before == nil || !v.carriesOurs(*before) {
		return nil
	}
	return before
}

// carriesOurs says whether the node carries marks of ours that it did not have before. A node that
// another store's server holds too is left to that server.
func (v *view) carriesOurs(before v1beta1.NodeBefore) bool {
	if v.marks.Annotated {
		return !v.marks.Anothers
	}
	return (v.marks.Tainted && !slices.Contains(before.Taints, nodemarks.OurTaint.ToString())) ||
		slices.ContainsFunc(v.live, func(h holdstatus.Hold) bool { return h.Imported })
}

// confirmGone asks the API server whether the node does not exist, if something depends on it: an ending hold, or
// what a gate holds. It fails when the node exists, or when that is not known.
func (l *leader) confirmGone(ctx context.Context, v *view) result {
	node, err := l.watcher.Live.Node(ctx, v.name)
	if err == nil && node != nil {
		err = errCacheBehind
	}
	return result{err: err}
}

// confirmUnheld asks our own server whether a node in service that a gate named has no hold. Then the gates may
// still hold something for it: the server crashed after the give-back. A node that is not in service may be in
// maintenance by another server or operator.
func (l *leader) confirmUnheld(ctx context.Context, v *view) result {
	holds, err := l.watcher.Live.HoldsOn(ctx, v.name)
	if err == nil && len(holds) > 0 {
		err = errCacheBehind
	}
	if err != nil {
		l.memory.name(v.name)
		return result{err: err}
	}
	v.memory.unreleased = true
	return result{}
}
