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

const name = drainertest.NodeName

var node = drainertest.Node{}.Object()

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
	// tolerant are the pods that tolerate the cordon.
	tolerant sets.Set[types.UID]
}

func newWatched() *watched { return &watched{Tracker: NewTracker(), now: drainertest.Epoch} }

// sees has the tracker observe these pods, of a node that was cordoned at drainertest.Epoch.
func (w *watched) sees(pods ...*corev1.Pod) Pods {
	drainable := sets.New[types.UID]()
	for _, pod := range pods {
		drainable.Insert(pod.UID)
	}
	return w.Observe(node, pods, drainable, w.tolerant, drainertest.Epoch, w.now)
}

// sends has the pod chosen, evicted, and gone.
func (w *watched) sends(pod *corev1.Pod) {
	w.Choose(name, map[string]types.UID{owner(pod): pod.UID}, w.now)
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
		"a pod without a controller": {
			cordoned: drainertest.Epoch, then: []*corev1.Pod{drainertest.Pod{Name: "p", Unmanaged: true}.Object()},
			want: []types.UID{drainertest.UID("p")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tracker, drainable := NewTracker(), sets.New(old.UID, second.UID, later.UID, drainertest.UID("p"))
			tracker.Observe(node, test.first, drainable, nil, test.cordoned, drainertest.Epoch)
			var got []types.UID
			for uid := range tracker.Observe(node, test.then, drainable, nil, test.cordoned, drainertest.Epoch) {
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
	w.Choose(name, map[string]types.UID{owner(first): first.UID}, w.now)
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

// The chosen pod cannot leave: the others get their chance, one a minute.
func TestPodsThatCannotLeaveArePassedOver(t *testing.T) {
	w := newWatched()
	w.sees()
	a, b := made("a", time.Second), made("b", time.Second)
	w.sees(a, b)
	for i, want := range []*corev1.Pod{a, b, a} {
		pods, mayGo := w.sees(a, b), []string(nil)
		for _, pod := range []*corev1.Pod{a, b} {
			if of := pods[pod.UID]; of.MayGo(pod.UID, w.now) {
				mayGo = append(mayGo, pod.Name)
			}
		}
		if len(mayGo) == 0 || mayGo[0] != want.Name {
			t.Errorf("in minute %d %v may go, want %s first", i, mayGo, want.Name)
		}
		w.Choose(name, map[string]types.UID{owner(want): want.UID}, w.now)
		w.now = w.now.Add(mostWait)
	}
}

func TestRestless(t *testing.T) {
	w := newWatched()
	w.sees()
	a, b := made("a", time.Second), made("b", time.Second)
	w.sees(a)
	w.sends(a)
	w.sees()
	if got := w.Restless(name, w.now); got != 0 {
		t.Errorf("after the first return the node is restless for %s, want 0", got)
	}
	w.sees(b)
	w.sends(b)
	w.sees()
	for after, want := range map[time.Duration]time.Duration{0: Settle, time.Second: Settle - time.Second, time.Hour: 0} {
		if got := w.Restless(name, w.now.Add(after)); got != want {
			t.Errorf("%s after the second return the node is restless for %s, want %s", after, got, want)
		}
	}
}

// A controller that takes its time is not taken to have stopped, and its waits do not begin anew.
func TestSlowController(t *testing.T) {
	const slow = 8 * time.Second
	w := newWatched()
	w.sees()
	var free int
	for i := range 6 {
		pod := made(string(rune('a'+i)), time.Second)
		of := w.sees(pod)[pod.UID]
		if of.Next.After(w.now) {
			w.now = of.Next
		}
		w.sends(pod)
		w.sees()
		w.now = w.now.Add(slow - time.Second)
		if of := w.sees(pod)[pod.UID]; of.Free {
			free++
		}
		w.sees()
		w.now = w.now.Add(time.Second)
	}
	if free > 1 {
		t.Errorf("all pods were let go %d times, want at most once: until the controller is known to be slow", free)
	}
	last := made("z", time.Second)
	if wait := w.sees(last)[last.UID].Next.Sub(w.now); wait < 40*time.Second {
		t.Errorf("after so many returns the next one waits %s, want 40s at least", wait)
	}
}

// The one pod that may go waits for its budget, and the other for its turn: the first is asked again.
func TestPassedOverPodIsAskedAgain(t *testing.T) {
	w := newWatched()
	w.sees()
	a, b := made("a", time.Second), made("b", time.Second)
	w.sees(a, b)
	w.Choose(name, map[string]types.UID{owner(a): a.UID}, w.now)
	w.now = w.now.Add(mostWait)
	if of := w.sees(a, b)[a.UID]; of.MayGo(a.UID, w.now) {
		t.Error("the pod that could not leave in time may go at once again")
	}
	w.Choose(name, nil, w.now) // b's turn has not come
	if of := w.sees(a, b)[a.UID]; !of.MayGo(a.UID, w.now) {
		t.Error("no pod may ever go")
	}
}

func TestReplacedNodeBeginsAnew(t *testing.T) {
	w := newWatched()
	w.sees()
	pod := made("a", 0)
	other := drainertest.Node{UID: "other"}.Object()
	if back := w.Observe(other, []*corev1.Pod{pod}, sets.New(pod.UID), nil, drainertest.Epoch, w.now); len(back) > 0 {
		t.Errorf("the first pods of another node of that name came back: %v", back)
	}
}

// A pod that tolerates the cordon has left: the one in its place may be on its way.
func TestRestlessAfterATolerantPod(t *testing.T) {
	w := newWatched()
	old := made("old", -time.Hour)
	w.tolerant = sets.New(old.UID)
	w.sees(old)
	if got := w.Restless(name, w.now); got != 0 {
		t.Errorf("with the pod still there the node is restless for %s, want 0", got)
	}
	w.tolerant = nil
	w.sees()
	for after, want := range map[time.Duration]time.Duration{0: Settle, time.Second: Settle - time.Second, Settle: 0} {
		if got := w.Restless(name, w.now.Add(after)); got != want {
			t.Errorf("%s after the pod left the node is restless for %s, want %s", after, got, want)
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
		"none": {pod: drainertest.Pod{Name: "p", Unmanaged: true}.Object(), want: "Pod/default/p"},
		"none, and many of a name": {pod: drainertest.Pod{Name: "p-x", Unmanaged: true, Change: func(pod *corev1.Pod) {
			pod.GenerateName = "p-"
		}}.Object(), want: "Pod/default/p-"},
		"an owner that is no controller": {pod: drainertest.Pod{Name: "p", OwnerKind: "Shard", Change: func(pod *corev1.Pod) {
			pod.OwnerReferences[0].Controller = nil
		}}.Object(), want: "Shard/default/web"},
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
