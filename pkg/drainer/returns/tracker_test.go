// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package returns

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

const node = drainertest.NodeName

// made is a pod of the ReplicaSet web that was created so long after drainertest.Epoch.
func made(name string, after time.Duration) *corev1.Pod {
	pod := drainertest.Pod{Name: name}.Object()
	pod.CreationTimestamp = metav1.NewTime(drainertest.Epoch.Add(after))
	return pod
}

func terminating(pod *corev1.Pod) *corev1.Pod {
	leaving := pod.DeepCopy()
	leaving.DeletionTimestamp = &metav1.Time{Time: drainertest.Epoch}
	return leaving
}

// watched is a tracker of one node at a time that tests move on.
type watched struct {
	*Tracker
	now time.Time
}

func newWatched() *watched { return &watched{Tracker: NewTracker(), now: drainertest.Epoch} }

// sees has the tracker observe these pods, of a node that was cordoned at drainertest.Epoch.
func (w *watched) sees(pods ...*corev1.Pod) Pods {
	drainable := sets.New[types.UID]()
	for _, pod := range pods {
		drainable.Insert(pod.UID)
	}
	return w.Observe(node, pods, drainable, drainertest.Epoch, w.now)
}

// sends has the pod chosen, evicted, and gone.
func (w *watched) sends(pod *corev1.Pod) {
	w.Choose(node, map[string]types.UID{owner(pod): pod.UID})
	w.sees(terminating(pod))
}

func TestPodsThatCameBack(t *testing.T) {
	old, second, later := made("old", -time.Hour), made("second", 0), made("later", time.Second)
	tests := map[string]struct {
		first, then []*corev1.Pod
		cordoned    time.Time
		want        []types.UID
	}{
		"there before the cordon": {first: []*corev1.Pod{old, second}, then: []*corev1.Pod{old, second}, cordoned: drainertest.Epoch},
		"created after the cordon": {
			first: []*corev1.Pod{old, later}, then: []*corev1.Pod{old, later}, cordoned: drainertest.Epoch,
			want: []types.UID{later.UID},
		},
		"created in the second of the cordon, and not seen at first": {
			first: []*corev1.Pod{old}, then: []*corev1.Pod{old, second}, cordoned: drainertest.Epoch, want: []types.UID{second.UID},
		},
		"cordoned just now": {first: []*corev1.Pod{later}, then: []*corev1.Pod{later}},
		"nobody's pod": {
			cordoned: drainertest.Epoch, then: []*corev1.Pod{drainertest.Pod{Name: "p", Unmanaged: true}.Object()},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tracker, drainable := NewTracker(), sets.New(old.UID, second.UID, later.UID, drainertest.UID("p"))
			tracker.Observe(node, test.first, drainable, test.cordoned, drainertest.Epoch)
			var got []types.UID
			for uid := range tracker.Observe(node, test.then, drainable, test.cordoned, drainertest.Epoch) {
				got = append(got, uid)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pods that came back (-want +got):\n%s", diff)
			}
		})
	}
}

// A controller puts a pod back each time: the evictions are further and further apart.
func TestWaitsGrow(t *testing.T) {
	w := newWatched()
	w.sees()
	pod := made("0", time.Second)
	if of := w.sees(pod)[pod.UID]; of.Again || !of.Next.IsZero() {
		t.Errorf("the first to come back is %+v, want it to go at once", of)
	}
	for i, want := range []time.Duration{5, 10, 20, 40, 60, 60} {
		w.sends(pod)
		pod = made(string(rune('a'+i)), time.Second)
		of := w.sees(pod)[pod.UID]
		if wait := of.Next.Sub(w.now); wait != want*time.Second || !of.Again || of.Times != i+2 || of.Recheck != of.Next {
			t.Errorf("after return %d the next one waits %s: %+v, want %ds", i+1, wait, of, want)
		}
		w.now = of.Next
		w.sees(pod)
	}
}

// Several pods came, and when one of them goes no other comes: the rest may go.
func TestPodsThatStayAwayFreeTheOthers(t *testing.T) {
	w := newWatched()
	w.sees()
	first, second := made("a", time.Second), made("b", time.Second)
	w.sees(first, second)
	w.Choose(node, map[string]types.UID{owner(first): first.UID})
	w.sees(terminating(first), second)
	w.now = w.now.Add(time.Minute)
	if of := w.sees(second)[second.UID]; of.Free || of.Recheck != w.now.Add(Settle) {
		t.Errorf("when the first is just gone the second is %+v, want it to wait", of)
	}
	w.now = w.now.Add(Settle)
	if of := w.sees(second)[second.UID]; !of.Free {
		t.Errorf("when nothing has come the second is %+v, want it free", of)
	}
	third := made("c", time.Second)
	if of := w.sees(second, third)[second.UID]; of.Free || !of.Again {
		t.Errorf("when another came all the same the second is %+v, want it to wait", of)
	}
}

func TestRestless(t *testing.T) {
	w := newWatched()
	w.sees()
	a, b := made("a", time.Second), made("b", time.Second)
	w.sees(a)
	w.sends(a)
	w.sees()
	if got := w.Restless(node, w.now); got != 0 {
		t.Errorf("after the first return the node is restless for %s, want 0", got)
	}
	w.sees(b)
	w.sends(b)
	w.sees()
	for after, want := range map[time.Duration]time.Duration{0: Settle, time.Second: Settle - time.Second, time.Hour: 0} {
		if got := w.Restless(node, w.now.Add(after)); got != want {
			t.Errorf("%s after the second return the node is restless for %s, want %s", after, got, want)
		}
	}
}

func TestControllersWithoutPodsAreForgotten(t *testing.T) {
	w := newWatched()
	w.sees()
	pod := made("a", time.Second)
	w.sees(pod)
	w.sends(pod)
	w.sees()
	w.now = w.now.Add(kept)
	w.sees()
	if of := w.sees(pod)[pod.UID]; of.Times != 1 {
		t.Errorf("the controller came %d times, want 1", of.Times)
	}
}

func TestOwner(t *testing.T) {
	hashed := drainertest.Pod{Name: "p", OwnerName: "web-5d"}.Object()
	hashed.Labels["pod-template-hash"] = "5d"
	foreign := drainertest.Pod{Name: "p", OwnerName: "web-5d"}.Object()
	foreign.Labels["pod-template-hash"] = "other"
	tests := map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"none":                    {pod: drainertest.Pod{Name: "p", Unmanaged: true}.Object()},
		"StatefulSet":             {pod: drainertest.Pod{Name: "p", OwnerKind: "StatefulSet"}.Object(), want: "StatefulSet/default/web"},
		"Deployment":              {pod: hashed, want: "Deployment/default/web"},
		"ReplicaSet of its own":   {pod: foreign, want: "ReplicaSet/default/web-5d"},
		"ReplicaSet without hash": {pod: drainertest.Pod{Name: "p"}.Object(), want: "ReplicaSet/default/web"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := owner(test.pod); got != test.want {
				t.Errorf("the owner is %q, want %q", got, test.want)
			}
		})
	}
}
