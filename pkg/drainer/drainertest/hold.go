// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Hold builds a NodeMaintenance as the registry stores it.
type Hold struct {
	// Name is required; the requestor has it, too. UID is what UID makes of it by default.
	Name string
	UID  types.UID
	// Node is NodeName by default, Stage is Drain.
	Node  string
	Stage v1beta1.MaintenanceStage
	// SelectApp has it drain the pods of that app only; empty: all.
	SelectApp string
	Rules     []v1beta1.DrainRule
	// GracePeriodSeconds, TimeoutSeconds and ExpirationSeconds are not set while 0.
	GracePeriodSeconds, TimeoutSeconds, ExpirationSeconds int64
	// DeleteOnTimeout deletes past the timeout what is left.
	DeleteOnTimeout bool
	// Blocking neither evicts unmanaged pods nor those with local data.
	Blocking bool
	// Finalizers are added to the server's own.
	Finalizers []string
	// Created is the time when it was created; zero: it does not say.
	Created time.Time
	// Released holds are being deleted.
	Released bool
	// Change makes a last change.
	Change func(*v1beta1.NodeMaintenance)
}

// Object is the NodeMaintenance.
func (h Hold) Object() *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Name: h.Name, UID: cmp.Or(h.UID, UID(h.Name)), Generation: 1, CreationTimestamp: metav1.NewTime(h.Created),
			Finalizers: append([]string{v1beta1.UncordonFinalizer}, h.Finalizers...),
		},
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName: cmp.Or(h.Node, NodeName), Requestor: h.Name, Reason: "kernel",
			Stage: cmp.Or(h.Stage, v1beta1.StageDrain), ExpirationSeconds: positive(h.ExpirationSeconds), Drain: h.drain(),
		},
	}
	if h.Released {
		Release(hold)
	}
	return changed(hold, h.Change)
}

func (h Hold) drain() v1beta1.DrainSpec {
	drain := v1beta1.DrainSpec{
		Rules: h.Rules, GracePeriodSeconds: positive(h.GracePeriodSeconds), TimeoutSeconds: positive(h.TimeoutSeconds),
	}
	if h.SelectApp != "" {
		drain.PodSelector = AppSelector(h.SelectApp)
	}
	if h.DeleteOnTimeout {
		drain.OnTimeout = v1beta1.OnTimeoutDelete
	}
	if h.Blocking {
		drain.UnmanagedPods, drain.EmptyDirPods = v1beta1.PolicyBlock, v1beta1.PolicyBlock
	}
	return drain
}

// positive is nil for 0.
func positive(seconds int64) *int64 {
	if seconds == 0 {
		return nil
	}
	return &seconds
}

// Release has a NodeMaintenance be deleted since long ago.
func Release(hold *v1beta1.NodeMaintenance) {
	hold.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0)))
}

// SetStage changes the stage of a NodeMaintenance.
func SetStage(stage v1beta1.MaintenanceStage) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = stage }
}

// AppRule is a drain rule for the pods of one app.
func AppRule(app string, action v1beta1.DrainAction, order int32) v1beta1.DrainRule {
	return v1beta1.DrainRule{PodSelector: AppSelector(app), Action: action, Order: order}
}
