// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// checkNode follows the node: it may be gone for a while, or for good, or another one may have its name.
func (t *term) checkNode(ctx context.Context, v *view) (moved, stop bool, err error) {
	status := &v.next.Status
	switch {
	case v.node == nil && status.NodeGoneTime == nil:
		gone := metav1.NewTime(v.now.Truncate(time.Second))
		status.NodeGoneTime = &gone
	case v.node == nil:
		t.awaitNode(v)
		return false, false, nil
	case status.NodeUID != v.node.UID:
		return t.meetNode(ctx, v)
	case status.NodeGoneTime != nil:
		status.NodeGoneTime = nil
	default:
		return false, false, nil
	}
	return true, false, t.write(ctx, v)
}

// awaitNode notes whether the node does not exist for longer than the profile waits for it.
func (t *term) awaitNode(v *view) {
	waits := v1beta1.DefaultNodeGoneSeconds
	if v.profile != nil {
		waits = ptr.Deref(v.profile.Spec.NodeGoneSeconds, waits)
	}
	until := v.nodeProfile.Status.NodeGoneTime.Add(time.Duration(waits) * time.Second)
	v.expired = !v.now.Before(until)
	if !v.expired {
		v.lookAt(until)
	}
}

// meetNode has everything begin anew, since another node has the name. The cache could show one of before, so the API
// server is asked.
func (t *term) meetNode(ctx context.Context, v *view) (moved, stop bool, err error) {
	live, err := t.config.Kube.CoreV1().Nodes().Get(ctx, v.node.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, true, nil // the cache is about to show that it is gone
	}
	if err != nil {
		return false, false, fmt.Errorf("could not read the node: %w", err)
	}
	status := &v.next.Status
	if live.UID == status.NodeUID {
		return false, true, nil // the cache is about to show it
	}
	if status.NodeUID != "" {
		if err := t.stop(ctx, v); err != nil {
			return false, false, err
		}
		machine.Reset(status, machine.Cause{Message: "a new node has the name"}, v.now)
		machine.GiveBack(status)
	}
	status.NodeUID, status.NodeGoneTime = live.UID, nil
	return true, false, t.write(ctx, v)
}
