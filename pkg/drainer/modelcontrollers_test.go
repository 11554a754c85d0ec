// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// disruptedLasts is how long the disruption controller believes that a pod will still go.
const disruptedLasts = 2 * time.Minute

// modelApp is a workload: pods that somebody may create anew when they are gone.
type modelApp struct {
	namespace, name string
	// kind is that of the pods' controller; empty for pods without one.
	kind     string
	replicas int
	labels   map[string]string
	// asks is the value of the pods' annotation modelAnnotation; empty: they do not have it.
	asks     string
	mirror   bool
	critical bool
	emptyDir bool
	grace    *int64
	// finalizer keeps the pods after they have stopped.
	finalizer bool
	// broken pods never become ready.
	broken bool
	// careless pods are scheduled to cordoned nodes, too.
	careless bool
	// home is the node to which the pods come back, whether it is cordoned or not; empty: to none.
	home string
	// stops is how long the pods take to stop when they are asked to.
	stops time.Duration
	made  int
}

// podRecord is what the model knows of a pod of whatever time.
type podRecord struct {
	app  *modelApp
	name types.NamespacedName
	node string
	// changed is the time when its phase or readiness changed last.
	created, changed, terminating, ended time.Time
	// accepted is the time when the drainer was told that the pod is being evicted.
	accepted time.Time
	// posted is the time when a pod of ours was posted last.
	posted time.Time
	posts  int
}

// tick lets the controllers of the cluster work for a moment. Each is late now and then.
func (w *world) tick() {
	w.runKubelets()
	w.runWorkloads(w.rng.IntN(3) == 0 && !w.ending)
	if w.rng.IntN(3) > 0 || w.ending {
		w.podsSeen = drainertest.All[*corev1.Pod](w.store)
	}
	if w.rng.IntN(3) > 0 || w.ending {
		w.runDisruptionController()
	}
}

func (w *world) runKubelets() {
	for _, pod := range drainertest.All[*corev1.Pod](w.store) {
		node := w.liveNode(pod.Spec.NodeName)
		record := w.pods[pod.UID]
		switch {
		case node == nil:
			if w.ending || w.rng.IntN(5) == 0 { // the garbage collector asks for no finalizer's leave, here
				w.dropFinalizers(pod)
			}
		case clusterwatch.NodeDead(node):
		case !pod.DeletionTimestamp.IsZero():
			if now := time.Now(); !now.Before(pod.DeletionTimestamp.Time) || now.Sub(record.terminating) >= record.app.stops {
				w.server.EndPod(pod)
			}
		default:
			w.runPod(pod, record)
		}
	}
}

func (w *world) dropFinalizers(pod *corev1.Pod) {
	next := pod.DeepCopy()
	next.Finalizers = nil
	w.store.Put(next)
	w.server.EndPod(next)
}

// runPod starts a pod, and has a started one become ready.
func (w *world) runPod(pod *corev1.Pod, record *podRecord) {
	phase := pod.Status.Phase
	switch {
	case !w.ending && w.rng.IntN(2) == 0:
	case phase == corev1.PodPending:
		w.changePod(pod, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning })
	case phase == corev1.PodRunning && !podutils.IsPodReady(pod) && !record.app.broken:
		w.changePod(pod, func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = corev1.ConditionTrue })
	}
}

// changePod changes the state of a pod, and notes when.
func (w *world) changePod(pod *corev1.Pod, change func(*corev1.Pod)) {
	next := pod.DeepCopy()
	change(next)
	w.pods[pod.UID].changed = time.Now()
	w.store.Put(next)
}

// runWorkloads creates the pods that workloads lack. Those of an app with a home are never late.
func (w *world) runWorkloads(late bool) {
	for _, app := range w.apps {
		if late && app.home == "" {
			continue
		}
		switch app.kind {
		case "ReplicaSet", "Job":
			for have := w.alive(app); have < app.replicas; have++ {
				app.made++
				w.schedule(app, fmt.Sprintf("%s-%d", app.name, app.made))
			}
		case "StatefulSet":
			// A pod is created anew under its old name once that is free.
			for i := range app.replicas {
				key := types.NamespacedName{Namespace: app.namespace, Name: fmt.Sprintf("%s-%d", app.name, i)}
				if w.livePod(key) == nil {
					w.schedule(app, key.Name)
				}
			}
		}
	}
}

func (w *world) alive(app *modelApp) int {
	count := 0
	for _, pod := range drainertest.All[*corev1.Pod](w.store) {
		if w.pods[pod.UID].app == app && pod.DeletionTimestamp.IsZero() && pod.Status.Phase != corev1.PodFailed {
			count++
		}
	}
	return count
}

// schedule binds a new pod to a node that takes it, if there is one.
func (w *world) schedule(app *modelApp, name string) {
	if app.home != "" && !w.ending {
		if w.liveNode(app.home) != nil {
			w.createPod(app, name, app.home, corev1.PodPending)
		}
		return
	}
	var fits []string
	for _, node := range drainertest.All[*corev1.Node](w.store) {
		if !node.Spec.Unschedulable || (app.careless && !w.ending && w.rng.IntN(4) == 0) {
			fits = append(fits, node.Name)
		}
	}
	if len(fits) > 0 {
		w.createPod(app, name, fits[w.rng.IntN(len(fits))], corev1.PodPending)
	}
}

// createPod makes a pod of the app on the node; one that runs is ready from the beginning.
func (w *world) createPod(app *modelApp, name, node string, phase corev1.PodPhase) {
	w.uids++
	uid := types.UID(fmt.Sprintf("pod-%d", w.uids))
	builder := drainertest.Pod{
		Name: name, Namespace: app.namespace, UID: uid, Node: node, Phase: phase, GracePeriodSeconds: app.grace,
		OwnerKind: app.kind, OwnerName: app.name, Unmanaged: app.kind == "", Mirror: app.mirror,
		NotReady: phase != corev1.PodRunning || app.broken,
	}
	if app.critical {
		builder.Priority = ptr.To[int32](2_000_000_000)
	}
	if app.emptyDir {
		builder.Volumes = []corev1.Volume{drainertest.EmptyDir()}
	}
	if app.finalizer {
		builder.Finalizers = []string{"example.com/keep"}
	}
	pod := builder.Object()
	pod.Labels, pod.CreationTimestamp = app.labels, metav1.Now()
	if app.asks != "" {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, modelAnnotation, app.asks)
	}
	now := time.Now()
	w.pods[uid] = &podRecord{app: app, name: drainertest.KeyOf(pod), node: node, created: now, changed: now}
	w.store.Put(pod)
	w.trace("pod %s (%s) of %s is created on %s", name, uid, app.kind, node)
}

// runDisruptionController brings the status of budgets up to date, from pods as it saw them last.
func (w *world) runDisruptionController() {
	for _, pdb := range drainertest.All[*policyv1.PodDisruptionBudget](w.store) {
		next := pdb.DeepCopy()
		next.Status.ObservedGeneration = pdb.Generation
		if cannotSync(pdb) {
			next.Status.DisruptionsAllowed = 0
		} else {
			w.evaluate(next)
		}
		if !apiequality.Semantic.DeepEqual(pdb.Status, next.Status) {
			w.store.Put(next)
			if next.Status.DisruptionsAllowed < pdb.Status.DisruptionsAllowed {
				w.check.roomLost(drainertest.KeyOf(pdb))
			}
		}
	}
}

// cannotSync says whether the disruption controller cannot evaluate the budget.
func cannotSync(pdb *policyv1.PodDisruptionBudget) bool {
	condition := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	return condition != nil && condition.Reason == policyv1.SyncFailedReason
}

// evaluate follows trySync of the disruption controller.
func (w *world) evaluate(pdb *policyv1.PodDisruptionBudget) {
	selector, _ := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	pods := slices.DeleteFunc(slices.Clone(w.podsSeen), func(pod *corev1.Pod) bool {
		return pod.Namespace != pdb.Namespace || !selector.Matches(labels.Set(pod.Labels))
	})
	disrupted, healthy := map[string]metav1.Time{}, int32(0)
	for _, pod := range pods {
		if !pod.DeletionTimestamp.IsZero() {
			continue
		}
		if since, found := pdb.Status.DisruptedPods[pod.Name]; found && time.Since(since.Time) < disruptedLasts {
			disrupted[pod.Name] = since
		} else if podutils.IsPodReady(pod) {
			healthy++
		}
	}
	expected, desired := w.wants(pdb, pods)
	pdb.Status.DisruptedPods = disrupted
	pdb.Status.ExpectedPods, pdb.Status.DesiredHealthy, pdb.Status.CurrentHealthy = expected, desired, healthy
	pdb.Status.DisruptionsAllowed = max(healthy-desired, 0)
	if expected <= 0 {
		pdb.Status.DisruptionsAllowed = 0
	}
}

// wants is how many pods the budget expects, and how many healthy ones it demands.
func (w *world) wants(pdb *policyv1.PodDisruptionBudget, pods []*corev1.Pod) (expected, desired int32) {
	if pdb.Spec.MinAvailable != nil {
		return int32(len(pods)), pdb.Spec.MinAvailable.IntVal
	}
	counted := map[*modelApp]bool{}
	for _, pod := range pods {
		if app := w.pods[pod.UID].app; app.kind != "" && !counted[app] {
			counted[app] = true
			expected += int32(app.replicas)
		}
	}
	return expected, max(expected-pdb.Spec.MaxUnavailable.IntVal, 0)
}
