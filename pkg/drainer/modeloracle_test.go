// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// What a hold wants is decided here once more, from the words of the API alone, so that a
// mistake of the engine is not made twice.

// wish is what a hold wants of a pod.
type wish struct {
	// goes says that the hold wants the pod gone; by eviction unless waits or blocked.
	goes, waits, blocked bool
	order                int32
	critical             bool
	// own says that the pod runs the drainer.
	own bool
}

func (a wish) evicts() bool { return a.goes && !a.waits && !a.blocked }

// earlier says whether pods of that wish are to be gone before those of the other start.
func (a wish) earlier(b wish) bool {
	if a.own != b.own {
		return b.own
	}
	if a.order != b.order {
		return a.order < b.order
	}
	return !a.critical && b.critical
}

// wishOf is what the hold, in the stage Drain, wants of the pod as it is now.
func (w *world) wishOf(hold *v1beta1.NodeMaintenance, pod *corev1.Pod) wish {
	app, over, drain := w.pods[pod.UID].app, isOver(pod), hold.Spec.Drain
	if !w.drainable(pod) || !matches(drain.PodSelector, pod.Labels) {
		return wish{}
	}
	result := wish{goes: true, critical: app.critical, own: w.isOwnPod(pod)}
	action := v1beta1.ActionDrain
	switch value := pod.Labels["cluster.x-k8s.io/drain"]; value {
	case "skip":
		action = v1beta1.ActionSkip
	case "wait-completed":
		action = v1beta1.ActionWaitCompleted
	default:
		i := slices.IndexFunc(drain.Rules, func(r v1beta1.DrainRule) bool {
			value, asked := r.PodAnnotations[modelAnnotation]
			return matches(r.PodSelector, pod.Labels) && matches(r.NamespaceSelector,
				w.namespaceLabels(pod.Namespace)) && (!asked || (app.asks != "" && (value == "" || value == app.asks)))
		})
		if i >= 0 {
			action, result.order = drain.Rules[i].Action, drain.Rules[i].Order
		}
	}
	switch {
	case action == v1beta1.ActionSkip:
		return wish{}
	case over:
	case action == v1beta1.ActionWaitCompleted:
		result.waits = true
	case drain.UnmanagedPods == v1beta1.PolicyBlock && app.kind == "",
		drain.EmptyDirPods == v1beta1.PolicyBlock && app.emptyDir && app != w.ours:
		result.blocked = true
	}
	return result
}

// drainable says whether a drain of all pods evicts the pod.
func (w *world) drainable(pod *corev1.Pod) bool {
	app := w.pods[pod.UID].app
	return !app.mirror && (app.kind != "DaemonSet" || isOver(pod))
}

func isOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	if selector == nil {
		return true
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(set))
}

// isTurn says whether no pod that the hold evicts earlier is on the node any more, as far as the
// drainer can know: recent is since when it may have heard of nothing.
func (w *world) isTurn(hold *v1beta1.NodeMaintenance, pod *corev1.Pod, recent time.Time) bool {
	mine := w.wishOf(hold, pod)
	for _, other := range w.podsOn(hold.Spec.NodeName) {
		theirs := w.wishOf(hold, other)
		if !theirs.goes || theirs.waits || !theirs.earlier(mine) {
			continue
		}
		if w.pods[other.UID].changed.Before(recent) {
			return false
		}
	}
	return true
}

func (w *world) podsOn(node string) []*corev1.Pod {
	return slices.DeleteFunc(drainertest.All[*corev1.Pod](w.store), func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName != node
	})
}

func (w *world) namespaceLabels(name string) map[string]string {
	if namespace := drainertest.Find[*corev1.Namespace](w.store, "", name); namespace != nil {
		return namespace.Labels
	}
	return nil
}

func (w *world) liveNode(name string) *corev1.Node {
	return drainertest.Find[*corev1.Node](w.store, "", name)
}

// holdRecord is what became of one hold.
type holdRecord struct {
	name string
	// versions are the specs that it had, the present one last.
	versions []holdVersion
	// resumed is the time when its stage was moved to Drain last, having been another.
	resumed time.Time
	// emptyAt is for each generation when a fresh list of the node showed nothing that it drains,
	// since its status said last that it is not drained.
	emptyAt map[int64]time.Time
}

// holdVersion is a spec of a hold, from one moment to another; zero means that it still is.
type holdVersion struct {
	*v1beta1.NodeMaintenance
	from, until time.Time
}

// sortedHolds are the records of all holds of whatever time, the oldest first.
func (w *world) sortedHolds() []*holdRecord {
	return slices.SortedFunc(maps.Values(w.holds),
		func(a, b *holdRecord) int { return a.versions[0].from.Compare(b.versions[0].from) })
}

// storedHold is the hold of that UID as it is stored; nil when it has ended.
func (w *world) storedHold(uid types.UID) *v1beta1.NodeMaintenance {
	record := w.holds[uid]
	stored := drainertest.Find[*v1beta1.NodeMaintenance](w.store, "", record.name)
	if stored == nil || stored.UID != uid {
		return nil
	}
	return stored
}

// draining are the specs in the stage Drain that holds on the node had at any time since then.
func (w *world) draining(node string, since time.Time) []holdVersion {
	var found []holdVersion
	for _, record := range w.sortedHolds() {
		for _, v := range record.versions {
			if v.Spec.NodeName == node && v.Spec.Stage == v1beta1.StageDrain && (v.until.IsZero() || !v.until.Before(since)) {
				found = append(found, v)
			}
		}
	}
	return found
}
