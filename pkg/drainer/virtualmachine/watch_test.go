// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
)

// newClient is a simulated API server that has these objects. It answers reads with err unless it is nil.
func newClient(err func() error, objects ...runtime.Object) *dynamicfake.FakeDynamicClient {
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		machines: "VirtualMachineInstanceList", migrations: "VirtualMachineInstanceMigrationList",
	}, objects...)
	client.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		answer := err()
		return answer != nil, nil, answer
	})
	return client
}

func allowed() error { return nil }

func forbidden() error { return apierrors.NewForbidden(machines.GroupResource(), "", errors.New("no")) }

func absent() error { return apierrors.NewNotFound(machines.GroupResource(), "") }

// lists counts the lists so far.
func lists(client *dynamicfake.FakeDynamicClient) int {
	count := 0
	for _, action := range client.Actions() {
		if action.GetVerb() == "list" {
			count++
		}
	}
	return count
}

// watching runs a test in a bubble of its own time. A goroutine that is left after Close fails it.
func watching(t *testing.T, client *dynamicfake.FakeDynamicClient, test func(t *testing.T, w *Watch, woken func() int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		wakes := make(chan string, 1000)
		w := NewWatch(client, clock.RealClock{}, func(node string) { wakes <- node })
		defer w.Close()
		test(t, w, func() int {
			time.Sleep(time.Second)
			synctest.Wait()
			count := len(wakes)
			for range count {
				<-wakes
			}
			return count
		})
	})
}

func TestWatchOnlyWhileMachinesLeave(t *testing.T) {
	client := newClient(allowed, vm{strategy: "None"}.object())
	watching(t, client, func(t *testing.T, w *Watch, woken func() int) {
		pods := []*corev1.Pod{launcher("a")}
		w.Follow(t.Context(), "n", false)
		woken()
		if got := client.Actions(); len(got) > 0 {
			t.Fatalf("requests before a machine is to leave: %v", got)
		}
		w.Follow(t.Context(), "n", true)
		w.Follow(t.Context(), "m", true)
		if woken() == 0 {
			t.Error("nobody was told that the machines are known now")
		}
		want := States{"pod-a": {Phase: Stops, Object: "VirtualMachineInstance/default/a", Message: "its virtual machine is stopped (evictionStrategy None)"}}
		if diff := cmp.Diff(want, w.States("n", pods, time.Time{})); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		w.Follow(t.Context(), "m", false)
		if w.States("n", pods, time.Time{}) == nil {
			t.Error("the watch ended although a node needs it")
		}
		w.Follow(t.Context(), "n", false)
		requests := len(client.Actions())
		time.Sleep(idleTime - 5*time.Second)
		w.Follow(t.Context(), "m", true)
		w.Follow(t.Context(), "m", false)
		time.Sleep(idleTime - 5*time.Second)
		if w.States("n", pods, time.Time{}) == nil || len(client.Actions()) != requests {
			t.Errorf("the watch did not wait for machines that come back: %v", client.Actions()[requests:])
		}
		time.Sleep(5 * time.Second)
		woken()
		if got := w.States("n", pods, time.Time{}); got != nil || len(client.Actions()) != requests {
			t.Errorf("after the last machine has left: states %v, requests %v", got, client.Actions()[requests:])
		}
		w.Follow(t.Context(), "n", true)
		woken()
		if w.States("n", pods, time.Time{}) == nil {
			t.Error("the watch did not begin again")
		}
	})
}

func TestWatchTellsOfChangesThatCount(t *testing.T) {
	client := newClient(allowed, vm{strategy: "LiveMigrate", migratable: "True"}.object())
	watching(t, client, func(t *testing.T, w *Watch, woken func() int) {
		w.Follow(t.Context(), "n", true)
		woken()
		update := func(u *unstructured.Unstructured) {
			t.Helper()
			if _, err := client.Resource(machines).Namespace("default").Update(t.Context(), u, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		same := vm{strategy: "LiveMigrate", migratable: "True"}.object()
		same.SetAnnotations(map[string]string{"a": "b"})
		update(same)
		if got := woken(); got != 0 {
			t.Errorf("told %d times of a change that does not count", got)
		}
		update(vm{strategy: "LiveMigrate", migratable: "False"}.object())
		if woken() == 0 {
			t.Error("not told that the machine is not migratable any more")
		}
		if _, err := client.Resource(migrations).Namespace("default").Create(t.Context(), vmim{name: "x", of: "other"}.object(), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if woken() == 0 {
			t.Error("not told of a migration, which may take a slot")
		}
	})
}

func TestWatchWithoutPermission(t *testing.T) {
	for name, refuse := range map[string]func() error{"not permitted": forbidden, "not installed": absent} {
		t.Run(name, func(t *testing.T) {
			var permitted atomic.Bool
			client := newClient(func() error {
				if permitted.Load() {
					return nil
				}
				return refuse()
			}, vm{strategy: "None"}.object())
			watching(t, client, func(t *testing.T, w *Watch, woken func() int) {
				w.Follow(t.Context(), "n", true)
				woken()
				asked := lists(client)
				if asked == 0 || asked > 2 {
					t.Errorf("asked %d times at first, want once for each kind at most", asked)
				}
				time.Sleep(askAgain - 10*time.Second)
				if got := lists(client); got != asked {
					t.Errorf("asked %d times more, want none for %s", got-asked, askAgain)
				}
				permitted.Store(true)
				time.Sleep(20 * time.Second)
				woken()
				if w.States("n", []*corev1.Pod{launcher("a")}, time.Time{}) == nil {
					t.Error("the permission was given, and nothing is known")
				}
			})
		})
	}
}

func TestReader(t *testing.T) {
	pods := []*corev1.Pod{launcher("a")}
	tests := map[string]struct {
		answer    func() error
		pods      []*corev1.Pod
		wantPhase Phase
		wantLists int
	}{
		"no machine among the pods": {answer: allowed, pods: []*corev1.Pod{{}}},
		"a machine":                 {answer: allowed, pods: pods, wantPhase: Stops, wantLists: 4},
		"not permitted":             {answer: forbidden, pods: pods, wantLists: 1},
		"not installed":             {answer: absent, pods: pods, wantLists: 1},
		"another error":             {answer: func() error { return errors.New("down") }, pods: pods, wantLists: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			client := newClient(tc.answer, vm{strategy: "None"}.object(), vm{name: "b", node: "m"}.object())
			reader := NewReader(client, clock.RealClock{})
			reader.States(context.Background(), "n", tc.pods, time.Time{})
			got := reader.States(context.Background(), "n", tc.pods, time.Time{})
			if got["pod-a"].Phase != tc.wantPhase || lists(client) != tc.wantLists {
				t.Errorf("got phase %q with %d lists, want %q with %d", got["pod-a"].Phase, lists(client), tc.wantPhase, tc.wantLists)
			}
		})
	}
}

// Without a client, nothing is asked and nothing is known.
func TestNoClient(t *testing.T) {
	w := NewWatch(nil, clock.RealClock{}, func(string) {})
	w.Follow(t.Context(), "n", true)
	defer w.Close()
	pods := []*corev1.Pod{launcher("a")}
	if w.States("n", pods, time.Time{}) != nil || NewReader(nil, clock.RealClock{}).States(t.Context(), "n", pods, time.Time{}) != nil {
		t.Error("something is known without a client")
	}
}

// A plan that is only shown knows of migrations, too: the eviction of such a machine would stop it.
func TestReaderKnowsMigrations(t *testing.T) {
	client := newClient(allowed, vm{strategy: "None"}.object(), vmim{name: "x", phase: "Running"}.object())
	got := NewReader(client, clock.RealClock{}).States(t.Context(), "n", []*corev1.Pod{launcher("a")}, time.Time{})
	if got["pod-a"].Phase != Migrating {
		t.Errorf("states %+v, want %s", got, Migrating)
	}
}

func TestAwaits(t *testing.T) {
	tests := map[string]struct {
		answer func() error
		want   time.Duration
	}{
		"no answer yet": {answer: func() error { return errors.New("down") }, want: syncTime},
		"not permitted": {answer: forbidden},
		"not installed": {answer: absent},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			watching(t, newClient(tc.answer), func(t *testing.T, w *Watch, woken func() int) {
				if got := w.Awaits(); !got.IsZero() {
					t.Errorf("waits until %s before a machine is to leave", got)
				}
				began := time.Now()
				w.Follow(t.Context(), "n", true)
				if got := w.Awaits(); got != began.Add(syncTime) {
					t.Errorf("waits until %s at first, want %s after %s", got, syncTime, began)
				}
				woken()
				if got, want := w.Awaits(), tc.want; got.IsZero() != (want == 0) || (want != 0 && got != began.Add(want)) {
					t.Errorf("waits until %s, want %s after %s", got, want, began)
				}
			})
		})
	}
}

// listing notes what was asked for.
type listing struct {
	dynamic.ResourceInterface
	asked metav1.ListOptions
}

func (l *listing) List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	l.asked = options
	return l.ResourceInterface.List(ctx, options)
}

// The API server heeds the size of a page only without a resource version. Of each page, only what is
// used is kept.
func TestListPage(t *testing.T) {
	big := vm{strategy: "None", migratable: "True", state: configured(2, 5)}.object()
	for _, path := range [][]string{{"spec", "domain"}, {"status", "interfaces"}, {"metadata", "managedFields"}} {
		if err := unstructured.SetNestedField(big.Object, "much", path...); err != nil {
			t.Fatal(err)
		}
	}
	kind := &listing{ResourceInterface: newClient(allowed, big).Resource(machines)}
	got, err := listPage(t.Context(), kind, metav1.ListOptions{ResourceVersion: "0", Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	list, _ := got.(*unstructured.UnstructuredList)
	if text := fmt.Sprint(list.Items); strings.Contains(text, "much") {
		t.Errorf("kept too much: %s", text)
	}
	if diff := cmp.Diff(newMachine(big), newMachine(&list.Items[0]), cmp.AllowUnexported(machine{}, condition{}, progress{}, limits{})); diff != "" {
		t.Errorf("what is read differs (-want +got):\n%s", diff)
	}
	if kind.asked.ResourceVersion != "" || kind.asked.Limit != 500 {
		t.Errorf("asked for %+v", kind.asked)
	}
}

// An informer whose watch begins with a list transforms each object twice.
func TestOnlyTwice(t *testing.T) {
	for name, once := range map[string]struct {
		object *unstructured.Unstructured
		keep   func(*unstructured.Unstructured) any
	}{
		"machine":   {vm{strategy: "None"}.object(), func(u *unstructured.Unstructured) any { return newMachine(u) }},
		"migration": {vmim{}.object(), func(u *unstructured.Unstructured) any { return newMigration(u) }},
	} {
		first, err := only(once.keep)(once.object)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := only(once.keep)(first); err != nil || second != first {
			t.Errorf("%s: %v, %v the second time, want %v", name, second, err, first)
		}
	}
}
