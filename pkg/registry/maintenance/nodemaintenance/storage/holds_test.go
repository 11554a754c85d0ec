// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestWarnsOfMissingNode(t *testing.T) {
	const want = `node "worker-9" does not exist: the maintenance stays Pending until it appears`
	storage := newTestStorage(t)

	_, warnings := storage.create(t, alice, newHold("a", "worker-9"), dryRun...)
	wantStrings(t, "warnings of a dry run", warnings, want)
	_, warnings = storage.create(t, alice, newHold("a", "worker-9"))
	wantStrings(t, "warnings of a create", warnings, want)
	_, warnings = storage.update(t, alice, "b", true, nil, func(hold *v1beta1.NodeMaintenance) {
		*hold = *newHold("b", "worker-8")
	})
	wantStrings(t, "warnings of an apply that creates", warnings,
		`node "worker-8" does not exist: the maintenance stays Pending until it appears`)
	_, warnings = storage.create(t, alice, newHold("c", "worker-1"))
	wantStrings(t, "warnings where the node exists", warnings)
}

func TestWarnsOfEarlierHolds(t *testing.T) {
	storage := newTestStorage(t)
	first, _ := storage.create(t, alice, newHold("a", "worker-1"))
	storage.create(t, alice, newHold("elsewhere", "worker-2"))
	idle := newHold("idle", "worker-1")
	idle.Spec.Stage = v1beta1.StageIdle
	storage.create(t, alice, idle)

	want := fmt.Sprintf(`node "worker-1" is in maintenance already: held by "a" of "alice" since %s`,
		first.CreationTimestamp.UTC().Format(time.RFC3339))
	_, warnings := storage.create(t, bob, newHold("b", "worker-1"), dryRun...)
	wantStrings(t, "warnings of a dry run", warnings, want)
	_, warnings = storage.create(t, bob, newHold("b", "worker-1"))
	wantStrings(t, "warnings of a create", warnings, want)

	storage.delete(t, "a")
	storage.delete(t, "b")
	_, warnings = storage.create(t, bob, newHold("c", "worker-1"))
	wantStrings(t, "warnings once the earlier holds are ending", warnings)
}

func TestWarnsOfRemainingHolds(t *testing.T) {
	storage := newTestStorage(t)
	storage.create(t, alice, newHold("a", "worker-1"))
	storage.create(t, bob, newHold("b", "worker-1"))

	const want = `node "worker-1" stays in maintenance: held by "b" of "bob"`
	wantStrings(t, "warnings of a dry run", storage.delete(t, "a", dryRun...), want)
	wantStrings(t, "warnings of a delete", storage.delete(t, "a"), want)
	wantStrings(t, "warnings of the same delete again", storage.delete(t, "a"), want)
	wantStrings(t, "warnings of the last delete", storage.delete(t, "b"))
}

func TestWarningsOfDeleteCollection(t *testing.T) {
	storage := newTestStorage(t)
	for _, name := range []string{"a", "b"} {
		hold := newHold(name, "worker-1")
		storage.create(t, alice, hold)
	}
	// None of the deleted holds is named, not even in a dry run.
	wantStrings(t, "warnings of a dry run", storage.deleteCollection(t, "worker-1", dryRun...))
	wantStrings(t, "warnings", storage.deleteCollection(t, "worker-1"))
}

func TestDescribe(t *testing.T) {
	holds := make([]v1beta1.NodeMaintenance, 0, 5)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		hold := newHold(name, "worker-1")
		hold.Spec.Requestor = "alice"
		holds = append(holds, *hold)
	}
	tests := map[string]struct {
		count int
		want  string
	}{
		"one":          {1, `"a" of "alice"`},
		"the most":     {3, `"a" of "alice", "b" of "alice", "c" of "alice"`},
		"one too many": {4, `"a" of "alice", "b" of "alice", "c" of "alice" and 1 more`},
		"many":         {5, `"a" of "alice", "b" of "alice", "c" of "alice" and 2 more`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := describe(holds[:test.count], holder); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
