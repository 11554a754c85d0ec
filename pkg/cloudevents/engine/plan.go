// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
)

const (
	// planLasts is how long an estimate counts at least: a plan lists all pods of a node.
	planLasts = 5 * time.Minute
	// mostPlanned is how long an event that has to start later is left alone at most before its drain is estimated again.
	mostPlanned = time.Hour
	// mostGrace is the longest grace period that is told apart, in seconds: a day. A pod may have one that no duration can
	// tell.
	mostGrace = 24 * 60 * 60
)

// drains is how long the drain of the event may take. Once it has started, nothing depends on that any more.
func (t *term) drains(ctx context.Context, v *view) decision.Drains {
	if v.facts.Found.Node == nil || v.event.Status.DrainStartTime != nil || decision.Withdrawn(v.event) {
		return decision.Drains{}
	}
	if action, _ := decision.ActionOf(v.event.Spec.Code, v.facts.Policies); action == v1beta1.EventActionIgnore {
		return decision.Drains{}
	}
	return decision.Drains{Plan: t.estimate(ctx, v), Earlier: t.earlier()}
}

// estimate is how long the drain takes as its plan says. It is made again after 5 minutes, or later if the drain is not to
// start for long.
func (t *term) estimate(ctx context.Context, v *view) time.Duration {
	node := v.facts.Found.Node
	known := t.notes.plan(v.name)
	if known.uid == node.UID && v.now.Sub(known.at) < planLasts {
		v.lookAt(t.planAgain(v, known.at))
		return known.takes
	}
	plan, err := t.config.Cluster.Outline(ctx, plannedHold(v.name, node.Name))
	if err != nil {
		klog.FromContext(ctx).V(2).Info("Could not plan a drain", "scheduledEvent", v.name, "node", node.Name, "reason", err.Error())
		v.lookAt(v.now.Add(planLasts))
		return known.takes
	}
	known = planned{uid: node.UID, at: v.now, takes: decision.Estimate(loadOf(plan))}
	t.notes.planned(v.name, known)
	v.lookAt(t.planAgain(v, known.at))
	return known.takes
}

// planAgain is the time when an estimate is made again: the nearer the latest start, the sooner.
func (t *term) planAgain(v *view, made time.Time) time.Time {
	left := mostPlanned
	if latest := v.event.Status.LatestStartTime; latest != nil {
		left = min(max(latest.Sub(v.now)/8, planLasts), mostPlanned)
	}
	return made.Add(left)
}

// plannedHold is a hold that drains the whole node.
func plannedHold(event, node string) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{
		NodeName: node, Requestor: v1beta1.EventRequestor + event, Stage: v1beta1.StageDrain,
	}}
	hold.Name = v1beta1.HoldName(node, hold.Spec.Requestor)
	v1beta1.SetObjectDefaults_NodeMaintenance(hold)
	return hold
}

// loadOf is what the drain of a plan takes. Pods that a person must remove are left out: nobody knows when that is.
func loadOf(plan *v1beta1.DrainPlanStatus) decision.Load {
	load := decision.Load{Allowed: map[string]int{}}
	for i := range plan.Pods {
		pod := &plan.Pods[i]
		if pod.Action == v1beta1.PlanStay || pod.Action == v1beta1.PlanBlock {
			continue
		}
		of := decision.LoadPod{
			Turn: pod.Turn, Grace: time.Duration(min(ptr.Deref(pod.GracePeriodSeconds, 0), mostGrace)) * time.Second,
			Completes: pod.Action == v1beta1.PlanWaitCompleted,
		}
		for _, budget := range pod.Budgets {
			of.Budgets = append(of.Budgets, budget.Name)
			load.Allowed[budget.Name] = int(budget.DisruptionsAllowed)
		}
		load.Pods = append(load.Pods, of)
	}
	return load
}

// earlier is how long drains took: those of earlier events, and of the holds of others that are still there. A node that was
// cordoned until another one had come tells nothing of its drain.
func (t *term) earlier() []time.Duration {
	var took []time.Duration
	for _, event := range t.all() {
		if s := &event.Status; s.DrainStartTime != nil && s.DrainedTime != nil && !surged(s.Replacement) {
			took = append(took, s.DrainedTime.Sub(s.DrainStartTime.Time))
		}
	}
	holds, err := t.config.Cluster.Holds()
	if err != nil {
		return took
	}
	for _, hold := range holds {
		if s := &hold.Status; s.StartTime != nil && s.DrainedTime != nil && !isOfEvent(hold) {
			took = append(took, s.DrainedTime.Sub(s.StartTime.Time))
		}
	}
	return took
}

func surged(r *v1beta1.MachineReplacement) bool { return r != nil && r.Strategy == v1beta1.SurgeFirst }
