// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func holdsOf(nodes ...string) []v1beta1.NodeMaintenance {
	holds := make([]v1beta1.NodeMaintenance, len(nodes))
	for i, node := range nodes {
		holds[i].Spec.NodeName = node
	}
	return holds
}

// Each call waits for all others that may be at work beside it: with fewer at once, the test would not end.
func TestEachWorksSideBySide(t *testing.T) {
	var together sync.WaitGroup
	together.Add(sideBySide)
	if err := each(t.Context(), holdsOf(names(sideBySide)...), func(int) error {
		together.Done()
		together.Wait()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func names(count int) []string {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("node-%d", i))
	}
	return names
}

func TestEachTakesTheHoldsOfANodeInTurn(t *testing.T) {
	nodes := slices.Repeat(names(20), 5)
	var mu sync.Mutex
	called, busy := map[string][]int{}, map[string]bool{}
	if err := each(t.Context(), holdsOf(nodes...), func(i int) error {
		mu.Lock()
		if busy[nodes[i]] {
			t.Errorf("two holds of %s at once", nodes[i])
		}
		busy[nodes[i]] = true
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		defer mu.Unlock()
		busy[nodes[i]] = false
		called[nodes[i]] = append(called[nodes[i]], i)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, node := range names(20) {
		if want := []int{i, i + 20, i + 40, i + 60, i + 80}; !slices.Equal(called[node], want) {
			t.Errorf("%s: called with %v, want %v", node, called[node], want)
		}
	}
}

func TestEachStopsAfterAnError(t *testing.T) {
	holds := holdsOf(names(100 * sideBySide)...)
	var mu sync.Mutex
	called := 0
	err := each(t.Context(), holds, func(i int) error {
		mu.Lock()
		defer mu.Unlock()
		called++
		return fmt.Errorf("hold %d: %w", i, errors.ErrUnsupported)
	})
	if !errors.Is(err, errors.ErrUnsupported) || called > sideBySide {
		t.Errorf("got %v after %d calls", err, called)
	}
	err = each(t.Context(), holds, func(int) error { panic("boom") })
	if !apierrors.IsInternalError(err) {
		t.Errorf("got %v after a panic, want a 500", err)
	}
	if err := each(t.Context(), nil, func(int) error { return errors.ErrUnsupported }); err != nil {
		t.Errorf("without holds: %v", err)
	}
}
