// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// modelAnnotation is what some pods have and some rules ask for.
const modelAnnotation = "example.com/asks"

var (
	modelNamespaces = []string{"default", "team"}
	modelTiers      = []string{"front", "back"}
)

// nodeRecord is what a node is to be like while nobody holds it.
type nodeRecord struct{ wanted *corev1.Node }

func oneOf[T any](w *world, choices ...T) T { return choices[w.rng.IntN(len(choices))] }

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// between is from least to most, both included.
func (w *world) between(least, most int) int { return least + w.rng.IntN(most-least+1) }

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

// populate makes up a cluster. A third of the runs have nothing go wrong: what is odd there is
// not hidden by retries.
func (w *world) populate() {
	w.faults.lag = oneOf(w, 0, 20*time.Millisecond, 300*time.Millisecond, 900*time.Millisecond)
	w.faults.latency = oneOf(w, 0, 10*time.Millisecond, 500*time.Millisecond, 2*time.Second)
	if w.chance(66) {
		w.faults.on = true
		w.faults.evictions = oneOf(w, 0, 0.1, 0.5)
		w.faults.requests = oneOf(w, 0, 0.05, 0.4)
	}
	if w.chance(50) {
		w.admission = newModelAdmission(w)
		w.admission.begin()
		w.config.Admission = w.admission
	}
	for _, name := range modelNamespaces {
		w.store.Put(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"team": name},
		}})
	}
	for i := range w.between(2, 4) {
		w.createNode(fmt.Sprintf("node-%d", i))
	}
	for i := range w.between(2, 5) {
		w.createApp(i)
	}
	w.tick()
	for range w.between(0, 6) {
		w.createBudget()
	}
	w.tick()
	for range w.between(0, 3) {
		w.createHold()
	}
	w.choosePod()
}

func (w *world) createNode(name string) {
	w.uids++
	builder := drainertest.Node{
		Name: name, UID: types.UID(fmt.Sprintf("node-%d", w.uids)), Unschedulable: w.chance(15),
		Labels: map[string]string{},
	}
	if w.chance(15) {
		builder.Taints = append(builder.Taints, "example.com/foreign")
	}
	if w.chance(10) {
		builder.Taints = append(builder.Taints, v1beta1.DrainTaint)
	}
	if w.chance(10) {
		builder.Labels[v1beta1.ExcludeFromRemediationLabel] = oneOf(w, "true", "false")
	}
	node := builder.Object()
	w.nodes[name] = &nodeRecord{wanted: node.DeepCopy()}
	w.trace("node %s (%s) is created: unschedulable=%t", name, node.UID, node.Spec.Unschedulable)
	w.store.Put(node)
}

func (w *world) createApp(i int) {
	app := &modelApp{
		namespace: oneOf(w, modelNamespaces...), name: fmt.Sprintf("app-%d", i), replicas: w.between(1, 5),
		kind: oneOf(w, "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "StatefulSet", "StatefulSet",
			"Job", "DaemonSet", ""),
		labels: map[string]string{"app": fmt.Sprintf("app-%d", i), "tier": oneOf(w, modelTiers...)},
		mirror: w.chance(5), critical: w.chance(15), emptyDir: w.chance(20), finalizer: w.chance(5),
		broken:   w.chance(10),
		careless: w.chance(5), stops: w.upTo(6 * time.Second),
	}
	if w.chance(60) {
		app.grace = ptr.To(int64(oneOf(w, 0, 1, 5, 60)))
	}
	if w.chance(20) {
		app.labels[v1beta1.DrainLabel] = oneOf(w, v1beta1.DrainLabelSkip, v1beta1.DrainLabelWaitCompleted, "other")
	}
	if w.chance(10) {
		app.home = fmt.Sprintf("node-%d", w.rng.IntN(len(w.nodes)))
	}
	if w.chance(20) {
		app.asks = oneOf(w, "true", "false", strings.Repeat("long", 100))
	}
	if app.mirror {
		app.kind = ""
	}
	if i == 0 && w.chance(35) {
		w.ours, app.labels["app.kubernetes.io/name"] = app, "server"
	}
	w.apps = append(w.apps, app)
	if app.kind == "DaemonSet" {
		w.store.Put(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: app.namespace, Name: app.name, UID: types.UID("uid-" + app.name),
		}})
	}
	for i := range app.replicas {
		node := fmt.Sprintf("node-%d", w.rng.IntN(len(w.nodes)))
		w.createPod(app, fmt.Sprintf("%s-%d", app.name, i), node,
			oneOf(w, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending))
	}
	app.made = app.replicas
}

// createBudget makes a budget for an app or for a tier. Few pods are to have two.
func (w *world) createBudget() {
	app := oneOf(w, w.apps...)
	if app.kind == "DaemonSet" || (w.budgeted(app) && w.chance(85)) {
		return
	}
	w.uids++
	selector := map[string]string{"app": app.labels["app"]}
	if w.chance(15) {
		selector = map[string]string{"tier": app.labels["tier"]}
	}
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.namespace, Name: fmt.Sprintf("budget-%d", w.uids), UID: types.UID(fmt.Sprintf("budget-%d",
				w.uids)), Generation: 1,
		},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: selector}},
	}
	w.demand(pdb, app)
	if w.chance(25) {
		pdb.Spec.UnhealthyPodEvictionPolicy = ptr.To(oneOf(w, policyv1.AlwaysAllow, policyv1.IfHealthyBudget))
	}
	if w.chance(5) {
		pdb.Status.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.SyncFailedReason, Message: "no scale",
		}}
	}
	w.store.Put(pdb)
	w.check.roomLost(drainertest.KeyOf(pdb))
	w.trace("budget %s for %v: min=%v max=%v", pdb.Name, selector, pdb.Spec.MinAvailable, pdb.Spec.MaxUnavailable)
}

func (w *world) budgeted(app *modelApp) bool {
	budgets := drainertest.All[*policyv1.PodDisruptionBudget](w.store)
	return slices.ContainsFunc(budgets, func(pdb *policyv1.PodDisruptionBudget) bool {
		return pdb.Namespace == app.namespace && matches(pdb.Spec.Selector, app.labels)
	})
}

// demand has the budget be wide, narrow, or impossible to meet.
func (w *world) demand(pdb *policyv1.PodDisruptionBudget, app *modelApp) {
	pdb.Spec.MinAvailable, pdb.Spec.MaxUnavailable = nil, nil
	if w.chance(50) {
		pdb.Spec.MaxUnavailable = ptr.To(intstr.FromInt32(int32(w.between(0, 3))))
		return
	}
	pdb.Spec.MinAvailable = ptr.To(intstr.FromInt32(int32(max(app.replicas-w.between(0, 3), 0))))
}

// createHold asks for a node under one of a few names, unless that one is taken.
func (w *world) createHold() {
	name := fmt.Sprintf("hold-%d", w.rng.IntN(5))
	if drainertest.Find[*v1beta1.NodeMaintenance](w.store, "", name) != nil {
		return
	}
	w.uids++
	hold := drainertest.Hold{
		Name: name, UID: types.UID(fmt.Sprintf("hold-%d", w.uids)), Created: time.Now().Truncate(time.Second),
		Node: fmt.Sprintf("node-%d", w.rng.IntN(len(w.nodes))),
		Stage: oneOf(w, v1beta1.StageDrain, v1beta1.StageDrain, v1beta1.StageDrain, v1beta1.StageDrain,
			v1beta1.StageCordon, v1beta1.StageIdle),
	}.Object()
	hold.Spec.Drain = w.newDrain()
	asked := hold.DeepCopy()
	asked.Spec.Stage = w.effective(hold)
	w.holds[hold.UID] = &holdRecord{
		name: name, versions: []holdVersion{{NodeMaintenance: asked, from: time.Now()}},
		emptyAt: map[int64]time.Time{},
	}
	w.store.Put(hold.DeepCopy())
	w.trace("hold %s (%s) is created on %s: %s", name, hold.UID, hold.Spec.NodeName, drainWords(hold))
}

func (w *world) newDrain() v1beta1.DrainSpec {
	drain := v1beta1.DrainSpec{
		OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
	}
	if w.chance(25) {
		drain.PodSelector = w.newSelector()
	}
	if w.chance(30) {
		drain.GracePeriodSeconds = ptr.To(int64(oneOf(w, 1, 3, 20)))
	}
	if w.chance(40) {
		drain.TimeoutSeconds = ptr.To(int64(oneOf(w, 1, 8, 30)))
		drain.OnTimeout = oneOf(w, v1beta1.OnTimeoutReport, v1beta1.OnTimeoutDelete)
	}
	if w.chance(20) {
		drain.UnmanagedPods = v1beta1.PolicyBlock
	}
	if w.chance(20) {
		drain.EmptyDirPods = v1beta1.PolicyBlock
	}
	for range w.between(0, 3) * w.between(0, 1) * w.between(0, 1) {
		drain.Rules = append(drain.Rules, w.newRule())
	}
	return drain
}

func (w *world) newRule() v1beta1.DrainRule {
	rule := v1beta1.DrainRule{
		Action: oneOf(w, v1beta1.ActionDrain, v1beta1.ActionDrain, v1beta1.ActionSkip, v1beta1.ActionWaitCompleted),
	}
	if w.chance(80) {
		rule.PodSelector = w.newSelector()
	}
	if w.chance(30) {
		rule.NamespaceSelector = &metav1.LabelSelector{
			MatchLabels: map[string]string{"team": oneOf(w, modelNamespaces...)},
		}
	}
	if w.chance(25) {
		rule.PodAnnotations = map[string]string{modelAnnotation: oneOf(w, "", "true", "false")}
	}
	if rule.Action == v1beta1.ActionDrain {
		rule.Order = int32(w.between(-1, 2))
	}
	return rule
}

func (w *world) newSelector() *metav1.LabelSelector {
	if w.chance(50) {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"tier": oneOf(w, modelTiers...)}}
	}
	return drainertest.AppSelector(oneOf(w, w.apps...).labels["app"])
}
