// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// dispatching runs a test with a dispatcher at work in a bubble of its own time.
func dispatching(
	t *testing.T, limit int, budgets []drainertest.Budget, test func(t *testing.T, d *Dispatcher, f *fakeClient),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, book := newFakeClient(), NewBudgets()
		for _, pdb := range budgets {
			book.Set(pdb.Object(), time.Now())
		}
		d := NewDispatcher(Config{Clock: clock.RealClock{}, Client: f, Budgets: book, InFlight: limit, Changed: func(string) {}})
		defer running(t, d)()
		test(t, d, f)
	})
}

// running runs the dispatcher until the returned function is called.
func running(t *testing.T, d *Dispatcher) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func wants(d *Dispatcher, node string, pods ...*corev1.Pod) {
	evictions := make([]Eviction, 0, len(pods))
	for _, pod := range pods {
		evictions = append(evictions, Eviction{Pod: pod})
	}
	d.Want(node, Wanted{Evictions: evictions, ToGo: len(evictions), Pods: pods})
	synctest.Wait()
}

func wantPosts(t *testing.T, f *fakeClient, want ...string) {
	t.Helper()
	got := f.posts()
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("posted %v, want %v", got, want)
	}
}

func TestDispatchBoundsWhatIsInFlight(t *testing.T) {
	dispatching(t, 3, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		var pods []*corev1.Pod
		for i := range 8 {
			pods = append(pods, drainertest.Pod{Name: fmt.Sprintf("p%d", i)}.Object())
		}
		wants(d, "n", pods...)
		wantPosts(t, f, "p0", "p1", "p2")
		f.answer("p1", nil)
		wantPosts(t, f, "p0", "p1", "p2", "p3")
		for _, pod := range []string{"p0", "p2", "p3", "p4", "p5", "p6", "p7"} {
			f.answer(pod, nil)
		}
		wants(d, "n", pods...) // the watch lags: the pods look as before
		wantPosts(t, f, "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7")
		if f.most != 3 {
			t.Errorf("%d at a time, want 3", f.most)
		}
	})
}

// A budget begins with one eviction at a time. With each that goes through one more may be under way,
// a short time after the one before. One that takes long holds back no other.
func TestDispatchPacesABudget(t *testing.T) {
	budget := drainertest.Budget{Name: "b", Desired: 1, Healthy: 9, Expected: 9, Allowed: 8}
	dispatching(t, 10, []drainertest.Budget{budget}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		var pods []*corev1.Pod
		for i := range 9 {
			pods = append(pods, drainertest.Pod{Name: fmt.Sprintf("p%d", i)}.Object())
		}
		wants(d, "n", append(pods, drainertest.Pod{Name: "free", App: "free"}.Object())...)
		wantPosts(t, f, "p0", "free")
		time.Sleep(time.Second)
		wantPosts(t, f, "p0", "free")
		f.answer("p0", nil)
		wantPosts(t, f, "p0", "free", "p1")
		time.Sleep(mostGap) // p1 meets another write, and waits
		synctest.Wait()
		wantPosts(t, f, "p0", "free", "p1", "p2")
		time.Sleep(time.Second)
		wantPosts(t, f, "p0", "free", "p1", "p2")
		f.answer("p2", nil)
		wantPosts(t, f, "p0", "free", "p1", "p2", "p3")
		time.Sleep(mostGap)
		synctest.Wait()
		wantPosts(t, f, "p0", "free", "p1", "p2", "p3", "p4")
		f.answer("p3", apierrors.NewInternalError(errors.New("boom"))) // one at a time again
		f.answer("p4", nil)
		time.Sleep(mostGap)
		synctest.Wait()
		wantPosts(t, f, "p0", "free", "p1", "p2", "p3", "p4", "p5")
	})
}

func TestDispatchGoesOnWhenTheBudgetShowsAnEviction(t *testing.T) {
	budget := drainertest.Budget{Name: "b", Desired: 1, Healthy: 9, Expected: 9, Allowed: 8}
	dispatching(t, 10, []drainertest.Budget{budget}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		wants(d, "n", drainertest.Pod{Name: "p0"}.Object(), drainertest.Pod{Name: "p1"}.Object(),
			drainertest.Pod{Name: "p2"}.Object())
		f.answer("p0", nil)
		wantPosts(t, f, "p0", "p1")
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 1, Healthy: 9, Expected: 9, Allowed: 6, Version: "2", Disrupts: []string{"p0", "p1"},
		}.Object(), time.Now())
		synctest.Wait()
		wantPosts(t, f, "p0", "p1", "p2")
	})
}

// A pod of a StatefulSet goes by other means while its eviction is under way, and the next of that name
// is evicted from another node.
func TestDispatchOfTwoPodsOfOneName(t *testing.T) {
	first := drainertest.Pod{Name: "db-0"}.Object()
	second := drainertest.Pod{Name: "db-0", UID: "another"}.Object()
	now, budget, known := drainertest.Epoch, types.NamespacedName{Name: "b"}, flows{}
	known.begin(budget, first, now)
	known.begin(budget, second, now)
	known.end(budget, first, Answer{Outcome: Gone}, now, 10)
	if under := len(known[budget].posted); under != 1 {
		t.Errorf("%d evictions are under way, want that of the second pod", under)
	}
	known.end(budget, second, Answer{Outcome: Gone}, now, 10)
	if len(known) > 0 {
		t.Errorf("flows %v are kept, want none", known)
	}
}

func TestDispatchNeverPostsMoreThanTheRoom(t *testing.T) {
	budgets := []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 4, Expected: 4, Allowed: 3}}
	dispatching(t, 10, budgets, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		wants(d, "n", drainertest.Pod{Name: "p1"}.Object(), drainertest.Pod{Name: "p2"}.Object(),
			drainertest.Pod{Name: "p3"}.Object(), drainertest.Pod{Name: "p4"}.Object())
		f.answer("p1", nil)
		f.answer("p2", nil)
		f.answer("p3", nil)
		wantPosts(t, f, "p1", "p2", "p3")
	})
}

// The room of a budget goes to the node that is nearest to empty, and after a while to the one
// that was passed over.
func TestDispatchOrder(t *testing.T) {
	type node struct {
		name string
		toGo int
	}
	tests := map[string]struct {
		nodes []node
		wait  time.Duration
		want  string
	}{
		"nearest to empty":          {nodes: []node{{"a", 3}, {"b", 1}, {"c", 2}}, want: "b"},
		"as near, the longer drain": {nodes: []node{{"a", 2}, {"b", 2}}, want: "a"},
		"nearly passed over": {
			nodes: []node{{"a", 3}, {"b", 1}}, wait: passedOverAfter - time.Second, want: "b",
		},
		"passed over, the longer": {nodes: []node{{"a", 3}, {"b", 1}}, wait: passedOverAfter, want: "a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dispatching(t, 10, []drainertest.Budget{{
				Name: "b", Desired: 2, Healthy: 2, Expected: 2,
			}}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
				for _, n := range test.nodes {
					pod := drainertest.Pod{Name: n.name}.Object()
					d.Want(n.name, Wanted{Evictions: []Eviction{{Pod: pod}}, ToGo: n.toGo, Pods: []*corev1.Pod{pod}})
				}
				time.Sleep(test.wait)
				d.budgets.Set(drainertest.Budget{
					Name: "b", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1, Version: "2",
				}.Object(),
					time.Now())
				d.nudge()
				synctest.Wait()
				wantPosts(t, f, test.want)
			})
		})
	}
}

// A node that got its turn is no longer passed over.
func TestDispatchServesThePassedOverOnce(t *testing.T) {
	dispatching(t, 10, []drainertest.Budget{{
		Name: "b", Desired: 1, Healthy: 1, Expected: 9,
	}}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		wants(d, "far", drainertest.Pod{Name: "far-1"}.Object(), drainertest.Pod{Name: "far-2"}.Object())
		wants(d, "near", drainertest.Pod{Name: "near-1"}.Object())
		time.Sleep(passedOverAfter)
		wants(d, "near", drainertest.Pod{Name: "near-1"}.Object())
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 1, Healthy: 2, Expected: 9, Allowed: 1, Version: "2",
		}.Object(),
			time.Now())
		d.nudge()
		synctest.Wait()
		wantPosts(t, f, "far-1")
		f.answer("far-1", nil)
		d.nodes["near"].served = time.Now()
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 1, Healthy: 2, Expected: 9, Allowed: 1, Version: "3", Disrupts: []string{"far-1"},
		}.Object(),
			time.Now())
		d.nudge()
		synctest.Wait()
		wantPosts(t, f, "far-1", "near-1")
	})
}

// An API server that has too much to do is left alone by all, not only for the pod it refused.
func TestDispatchBacksOffWhenThrottled(t *testing.T) {
	dispatching(t, 4, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		var pods []*corev1.Pod
		for i := range 8 {
			pods = append(pods, drainertest.Pod{Name: fmt.Sprintf("p%d", i)}.Object())
		}
		wants(d, "n", pods...)
		for _, pod := range []string{"p0", "p1", "p2", "p3"} {
			f.answer(pod, apierrors.NewTooManyRequests("busy", 7))
		}
		time.Sleep(7*time.Second - time.Millisecond)
		synctest.Wait()
		wantPosts(t, f, "p0", "p1", "p2", "p3")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if posts := f.posts()[4:]; len(posts) != 2 {
			t.Errorf("posted %v after the pause, want half as many at a time", posts)
		}
	})
}

// What is deleted by force asks no budget, and no earlier refusal of an eviction.
func TestDispatchForce(t *testing.T) {
	full := []drainertest.Budget{
		{Name: "b", Desired: 2, Healthy: 2, Expected: 2}, {Name: "c", Desired: 2, Healthy: 2, Expected: 2},
	}
	dispatching(t, 10, full, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		refused, bound := drainertest.Pod{
			Name: "refused", App: "free",
		}.Object(), drainertest.Pod{Name: "bound"}.Object()
		wants(d, "n", refused, bound)
		f.answer("refused", apierrors.NewInternalError(errors.New("boom")))
		d.Want("n", Wanted{
			Evictions: []Eviction{{Pod: refused, Force: true}, {Pod: bound, Force: true}},
			Pods:      []*corev1.Pod{refused, bound},
		})
		synctest.Wait()
		wantPosts(t, f, "refused", "refused", "bound")
		f.answer("refused", apierrors.NewInternalError(errors.New("boom")))
		f.answer("bound", nil)
		wantPosts(t, f, "refused", "refused", "bound")
		time.Sleep(3 * leastBackoff)
		synctest.Wait()
		wantPosts(t, f, "refused", "refused", "refused", "bound")
	})
}

func TestDispatchWaitsForRoom(t *testing.T) {
	full := []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 2}}
	dispatching(t, 10, full, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		wants(d, "n", drainertest.Pod{Name: "p1"}.Object(), drainertest.Pod{Name: "p2"}.Object())
		time.Sleep(time.Hour)
		wantPosts(t, f)
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1, Version: "2",
		}.Object(),
			time.Now())
		d.nudge()
		synctest.Wait()
		wantPosts(t, f, "p1")
		f.answer("p1", nil)
		wantPosts(t, f, "p1")
		// The budget's next status: p1 is taken into account, and there is room again.
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1, Version: "3", Disrupts: []string{"p1"},
		}.Object(),
			time.Now())
		d.nudge()
		synctest.Wait()
		wantPosts(t, f, "p1", "p2")
	})
}

// A pod that its watch shows as pending or not ready may have become ready: where the budget has
// no room, that is asked past every cache.
func TestDispatchDoubtsThatAPodIsExempt(t *testing.T) {
	full := drainertest.Budget{Name: "b", Desired: 2, Healthy: 2, Expected: 3}
	dispatching(t, 10, []drainertest.Budget{full}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		f.ready = map[string]bool{"p0": true, "p2": true}
		wants(d, "n", drainertest.Pod{Name: "p0", NotReady: true}.Object(),
			drainertest.Pod{Name: "p1", NotReady: true}.Object(),
			drainertest.Pod{Name: "p2", Phase: corev1.PodPending}.Object(),
			drainertest.Pod{Name: "p3", Phase: corev1.PodPending}.Object(), drainertest.Pod{Name: "p4"}.Object())
		wantPosts(t, f, "p1", "p3")
		f.answer("p1", nil)
		f.answer("p3", nil)
		slices.Sort(f.doubted)
		if !slices.Equal(f.doubted, []string{"p0", "p1", "p2", "p3"}) {
			t.Errorf("asked about %v, want all that seemed exempt", f.doubted)
		}
	})
}

// An exempt eviction takes room of the budget if the pod became ready in the last moment. The budget is
// read afterwards, past its watch.
func TestDispatchReadsTheBudgetAfterAnExemptEviction(t *testing.T) {
	budget := drainertest.Budget{Name: "b", Desired: 1, Healthy: 2, Expected: 3, Allowed: 1, Version: "7"}
	tests := map[string]struct {
		// live is the budget after the eviction; without a name it cannot be read.
		live                   drainertest.Budget
		wantAtOnce, wantAtLast []string
	}{
		"no room was taken": {
			live:       budget,
			wantAtOnce: []string{"p0", "p1"}, wantAtLast: []string{"p0", "p1"},
		},
		"room was taken": {
			live:       drainertest.Budget{Name: "b", Desired: 1, Healthy: 1, Expected: 3, Version: "8"},
			wantAtOnce: []string{"p0"}, wantAtLast: []string{"p0"},
		},
		"not known": {wantAtOnce: []string{"p0"}, wantAtLast: []string{"p0", "p1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dispatching(t, 10, []drainertest.Budget{budget}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
				if test.live.Name != "" {
					f.live = test.live.Object()
				}
				wants(d, "n", drainertest.Pod{Name: "p0", NotReady: true}.Object(), drainertest.Pod{Name: "p1"}.Object())
				wantPosts(t, f, "p0")
				f.answer("p0", nil)
				wantPosts(t, f, test.wantAtOnce...)
				d.budgets.Set(budget.Object(), time.Now()) // the watch lags
				time.Sleep(reservationLasts)
				synctest.Wait()
				wantPosts(t, f, test.wantAtLast...)
			})
		})
	}
}

// A budget that was deleted meanwhile does not come back.
func TestRefreshAddsNoBudget(t *testing.T) {
	pdb := drainertest.Budget{Name: "b"}.Object()
	book := NewBudgets()
	book.Set(pdb, drainertest.Epoch)
	book.Remove(types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name})
	book.refresh(pdb, drainertest.Epoch)
	if found := budgetsOf(book, drainertest.Pod{Name: "p"}.Object()); len(found) > 0 {
		t.Errorf("there is budget %s, want none", found[0].Name)
	}
}

func TestDispatchLeavesARefusingBudgetAlone(t *testing.T) {
	refusal := drainertest.WithCause(apierrors.NewTooManyRequests("no", 0), policyv1.DisruptionBudgetCause, "taken")
	dispatching(t, 10, []drainertest.Budget{{
		Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1,
	}}, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		wants(d, "n", drainertest.Pod{Name: "p1"}.Object(), drainertest.Pod{Name: "p2"}.Object())
		f.answer("p1", refusal)
		d.nudge()
		time.Sleep(refusalLasts - time.Second)
		synctest.Wait()
		wantPosts(t, f, "p1")
		d.budgets.Set(drainertest.Budget{
			Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1, Version: "2",
		}.Object(),
			time.Now())
		d.nudge()
		synctest.Wait()
		wantPosts(t, f, "p1", "p1")
		f.answer("p1", refusal)
		time.Sleep(refusalLasts + time.Second)
		synctest.Wait()
		wantPosts(t, f, "p1", "p1", "p1")
	})
}

func TestDispatchCancel(t *testing.T) {
	dispatching(t, 1, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		p1, p2 := drainertest.Pod{Name: "p1"}.Object(), drainertest.Pod{Name: "p2"}.Object()
		wants(d, "n", p1, p2)
		d.Cancel("n")
		f.answer("p1", nil) // it was under way and may finish
		wantPosts(t, f, "p1")
		// Wanted again at once: what was accepted meanwhile is not posted again.
		wants(d, "n", p1, p2)
		wantPosts(t, f, "p1", "p2")
		f.answer("p2", nil)
		d.Cancel("n")
		if tried := d.Attempts("n"); len(tried) > 0 {
			t.Errorf("a cancelled node is remembered: %v", tried)
		}
	})
}

// A pod whose eviction was accepted, and that does not stop, is removed at once when that is wanted: until it is accepted, and
// no more then.
func TestDispatchRemovesAnEvictedPodOnce(t *testing.T) {
	dispatching(t, 1, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		pod := drainertest.Pod{Name: "p1"}.Object()
		wants(d, "n", pod)
		f.answer("p1", nil)
		deletes := func(seconds int64) {
			t.Helper()
			d.Want("n", Wanted{Pods: []*corev1.Pod{pod}, Evictions: []Eviction{{Pod: pod, Force: true, GracePeriodSeconds: &seconds}}})
			synctest.Wait()
		}
		deletes(1)
		wantPosts(t, f, "p1")
		deletes(0)
		wantPosts(t, f, "p1", "p1")
		f.answer("p1", apierrors.NewInternalError(errors.New("etcd is slow")))
		deletes(0)
		wantPosts(t, f, "p1", "p1")
		time.Sleep(2 * leastBackoff)
		synctest.Wait()
		wantPosts(t, f, "p1", "p1", "p1")
		f.answer("p1", nil)
		time.Sleep(time.Hour)
		deletes(0)
		wantPosts(t, f, "p1", "p1", "p1")
	})
}

// An eviction that is cut off may have taken its budget's room already.
func TestDispatchStopLetsRequestsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeClient()
		d := NewDispatcher(Config{Clock: clock.RealClock{}, Client: f, Budgets: NewBudgets(), InFlight: 2, Changed: func(string) {}})
		stop := running(t, d)
		wants(d, "n", drainertest.Pod{Name: "p1"}.Object(), drainertest.Pod{Name: "p2"}.Object(),
			drainertest.Pod{Name: "p3"}.Object())
		began := time.Now()
		stopped := make(chan time.Duration)
		go func() {
			stop()
			stopped <- time.Since(began)
		}()
		synctest.Wait()
		if hanging := f.hanging(); hanging != 2 {
			t.Errorf("%d requests are under way, want 2: none is cut off at once", hanging)
		}
		f.answer("p1", nil)
		if tried := d.Attempts("n"); len(tried) != 1 {
			t.Errorf("answers taken in: %v, want that for p1", tried)
		}
		if took := <-stopped; took != finishTimeout {
			t.Errorf("stopped after %s, want %s, although p2 is never answered", took, finishTimeout)
		}
		wantPosts(t, f, "p1", "p2")
	})
}

func TestDispatchNeverPostsAPodTwiceAtATime(t *testing.T) {
	dispatching(t, 10, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		p1 := drainertest.Pod{Name: "p1"}.Object()
		for range 5 {
			wants(d, "n", p1)
			d.Cancel("n")
		}
		wants(d, "n", p1)
		wantPosts(t, f, "p1")
		f.answer("p1", nil)
		wants(d, "n", p1)
		wantPosts(t, f, "p1")
	})
}

func TestDispatchBacksOff(t *testing.T) {
	tests := map[string]struct {
		err error
		// wantPosts are the requests within a minute.
		wantPosts int
	}{
		"internal error": {err: apierrors.NewInternalError(errors.New("x")), wantPosts: 6},
		"webhook":        {err: drainertest.WebhookRefusal(http.StatusTooManyRequests), wantPosts: 6},
		"told to wait":   {err: apierrors.NewTooManyRequests("slow down", 25), wantPosts: 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dispatching(t, 10, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
				wants(d, "n", drainertest.Pod{Name: "p1"}.Object())
				for range 59 {
					if f.hanging() > 0 {
						f.answer("p1", test.err)
					}
					time.Sleep(time.Second)
					synctest.Wait()
				}
				if got := len(f.posts()); got != test.wantPosts {
					t.Errorf("%d requests within a minute, want %d", got, test.wantPosts)
				}
			})
		})
	}
}

func TestDispatchRetriesLeaveRoomForOthers(t *testing.T) {
	dispatching(t, 4, nil, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		stuck := drainertest.Objects([]drainertest.Pod{{Name: "s1"}, {Name: "s2"}, {Name: "s3"}, {Name: "s4"}})
		wants(d, "stuck", stuck...)
		for _, pod := range stuck {
			f.answer(pod.Name, apierrors.NewInternalError(errors.New("x")))
		}
		time.Sleep(2 * time.Second) // they are tried again, and hang
		synctest.Wait()
		if hanging := f.hanging(); hanging != 2 {
			t.Errorf("%d retries at a time, want 2", hanging)
		}
		wants(d, "free", drainertest.Pod{Name: "p1"}.Object())
		if !slices.Contains(f.posts(), "p1") {
			t.Error("a free pod waits for those that were refused")
		}
	})
}
