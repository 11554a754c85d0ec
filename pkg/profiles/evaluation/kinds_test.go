// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// TestKinds shows that each field of a check but its name is a kind, and that there are random checks of it.
func TestKinds(t *testing.T) {
	fields := reflect.TypeFor[v1beta1.ProfileCheck]()
	var random []string
	for _, check := range newRandom(0).checks() {
		name, _ := evaluation.KindOf(&check)
		random = append(random, name)
	}
	for i := range fields.NumField() {
		field := fields.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "name" {
			continue
		}
		check := &v1beta1.ProfileCheck{}
		reflect.ValueOf(check).Elem().Field(i).Set(reflect.New(field.Type.Elem()))
		if got, _ := evaluation.KindOf(check); got != name {
			t.Errorf("kindOf calls a check %s %q", name, got)
		}
		if !slices.Contains(random, name) {
			t.Errorf("random.checks has none of the kind %s", name)
		}
	}
}

// TestChangesWake changes the nodes of random scenes. If a check then says something else, the NodeProfile is woken.
func TestChangesWake(t *testing.T) {
	differ := 0
	for seed := range uint64(10 * *modelRuns) {
		r := newRandom(seed)
		s := r.scene(t)
		facts := s.facts(t)
		compiled := evaluation.Compile(facts.Profile)
		for step := range 10 {
			before := results(facts.Profile, compiled.Evaluate(facts))
			wakes := slices.Contains(r.changeNodes(s), facts.NodeProfile.Name)
			facts.Node = s.Node
			if diff := cmp.Diff(before, results(facts.Profile, compiled.Evaluate(facts))); diff != "" {
				if differ++; !wakes {
					t.Fatalf("seed %d, step %d: not woken for another result: the needs of the check lack something (-before +after):\n%s", seed, step, diff)
				}
			}
		}
	}
	if differ < *modelRuns {
		t.Errorf("only %d changes made a difference", differ)
	}
}

// changeNodes changes the node of the scene, or another one, and returns whom that wakes. Who goes by the ledger is woken by
// its passes when other nodes are in another group.
func (r random) changeNodes(s *scene) []string {
	if r.chance(50) {
		s.Node = s.Node.DeepCopy()
		r.node(s.Node)
		return s.aggregate.SetNode(s.Node)
	}
	name := fmt.Sprintf("outside-the-ledger-%d", r.IntN(4))
	switch r.IntN(3) {
	case 0:
		return s.aggregate.DeleteNode(name)
	case 1:
		return s.aggregate.SetNodeProfile(onNode(name, "p", v1beta1.ProfileOperational))
	default:
		return s.aggregate.SetNode(newNode(name, r.labels()))
	}
}

// results are those of the checks that were asked, by their names and kinds.
func results(profile *v1beta1.MaintenanceProfile, outcome evaluation.Outcome) map[string]evaluation.Result {
	all := map[string]evaluation.Result{}
	for _, c := range outcome.Checks {
		at := slices.IndexFunc(profile.Spec.Checks, func(spec v1beta1.ProfileCheck) bool { return spec.Name == c.Name })
		kind, _ := evaluation.KindOf(&profile.Spec.Checks[at])
		all[c.Name+" "+kind] = c.Result
	}
	return all
}
