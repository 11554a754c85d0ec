// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// An eviction that asks reaches the webhook while a budget forbids it, seldom, and takes none of its room.
func TestDispatchAsksWhileABudgetForbids(t *testing.T) {
	budgets := []drainertest.Budget{{Name: "own", Desired: 1, Healthy: 1, Expected: 1}}
	dispatching(t, 10, budgets, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		asking, other := drainertest.Pod{Name: "asks"}.Object(), drainertest.Pod{Name: "other"}.Object()
		want := Wanted{Evictions: []Eviction{{Pod: asking, Asks: true}, {Pod: other}}}
		want.Pods = append(want.Pods, asking, other)
		d.Want("n", want)
		synctest.Wait()
		wantPosts(t, f, "asks")
		f.answer("asks", drainertest.WebhookRefusal(http.StatusTooManyRequests))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantPosts(t, f, "asks", "asks")
		f.answer("asks", drainertest.WithCause(apierrors.NewTooManyRequests("no", 0), policyv1.DisruptionBudgetCause, "no room"))
		time.Sleep(time.Second)
		synctest.Wait()
		wantPosts(t, f, "asks", "asks")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantPosts(t, f, "asks", "asks", "asks")
		f.answer("asks", nil)
		wantPosts(t, f, "asks", "asks", "asks")
	})
}

// A node whose pod asks again and again does not lose its turn to nodes that are nearer to empty.
func TestAskingDoesNotCountAsServed(t *testing.T) {
	budgets := []drainertest.Budget{{Name: "own", Desired: 1, Healthy: 1, Expected: 1}}
	dispatching(t, 10, budgets, func(t *testing.T, d *Dispatcher, f *fakeClient) {
		asking := drainertest.Pod{Name: "asks"}.Object()
		want := Wanted{Evictions: []Eviction{{Pod: asking, Asks: true}}}
		want.Pods = append(want.Pods, asking)
		d.Want("n", want)
		for range int(2 * passedOverAfter / time.Second) {
			synctest.Wait()
			if f.hanging() > 0 {
				f.answer("asks", drainertest.WebhookRefusal(http.StatusTooManyRequests))
			}
			time.Sleep(time.Second)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if !d.nodes["n"].passedOver(time.Now()) {
			t.Error("the node counts as served, although its budget let nothing go")
		}
	})
}
