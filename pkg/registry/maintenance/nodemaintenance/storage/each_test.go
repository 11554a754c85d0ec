// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

func holdsOf(nodes ...string) []maintenance.NodeMaintenance {
	holds := make([]maintenance.NodeMaintenance, len(nodes))
	for i, node := range nodes {
		holds[i].Spec.NodeName = node
	}
	return holds
}

// Each call waits for all others that may be at work beside it: with fewer at once, the test would not end.
func TestEachWorksSideBySide(t *testing.T) {
	holds := holdsOf(make([]string, sideBySide)...)
	var together sync.WaitGroup
	together.Add(sideBySide)
	if err := each(holds, func(int) error {
		together.Done()
		together.Wait()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestEachTakesTheHoldsOfANodeTogether(t *testing.T) {
	var nodes []string
	for i := range 10 * sideBySide {
		nodes = append(nodes, fmt.Sprintf("node-%02d", i%20))
	}
	holds := holdsOf(nodes...)
	var mu sync.Mutex
	var began []string
	if err := each(holds, func(i int) error {
		mu.Lock()
		defer mu.Unlock()
		began = append(began, nodes[i])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(began) != len(nodes) {
		t.Fatalf("%d of %d were called", len(began), len(nodes))
	}
	for i := range nodes[:20] {
		node := fmt.Sprintf("node-%02d", i)
		first, last := slices.Index(began, node), len(began)-1
		for began[last] != node {
			last--
		}
		if apart := last - first; apart > len(nodes)/20+2*sideBySide {
			t.Errorf("the holds of %s are %d calls apart", node, apart)
		}
	}
}

func TestEachStopsAfterAnError(t *testing.T) {
	holds := holdsOf(make([]string, 100*sideBySide)...)
	var mu sync.Mutex
	called := 0
	err := each(holds, func(i int) error {
		mu.Lock()
		defer mu.Unlock()
		called++
		return fmt.Errorf("hold %d: %w", i, errors.ErrUnsupported)
	})
	if !errors.Is(err, errors.ErrUnsupported) || called > sideBySide {
		t.Errorf("got %v after %d calls", err, called)
	}
	if err := each(nil, func(int) error { return errors.ErrUnsupported }); err != nil {
		t.Errorf("without holds: %v", err)
	}
}
