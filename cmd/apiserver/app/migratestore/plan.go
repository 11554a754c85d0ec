// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dustin/go-humanize/english"
)

// action is what becomes of an object in the target.
type action string

const (
	toCopy    action = "copy"
	toReplace action = "copy again, it differs"
	toRemove  action = "remove, the source no longer has it"
	toKeep    action = "is there already"
)

// step is what is to be done about one object.
type step struct {
	key
	action action
}

// plan is what is to be done.
type plan struct {
	// id is the ID of the store.
	id string
	// steps are in the order of the names.
	steps []step
	// begun says that a copy was interrupted.
	begun bool
	// done says that the target has everything, and its ID.
	done bool
	// marked says that the mark of a copy is still there.
	marked bool
}

// makePlan decides what is to be done. The error says why nothing can be.
func makePlan(from, to contents) (plan, error) {
	if err := checkSource(from); err != nil {
		return plan{}, err
	}
	p := plan{id: from.id, steps: compare(from, to), begun: to.id == "" && to.copyOf != "", done: to.id != "", marked: to.copyOf != ""}
	return p, checkTarget(from, to, p)
}

func checkSource(from contents) error {
	switch {
	case from.id != "":
		return nil
	case from.copyOf != "":
		return fmt.Errorf("the source is an incomplete copy of the store with ID %s: copy from that one", from.copyOf)
	case len(from.objects) > 0:
		return errors.New("the source has objects and no ID, so it is only a part of a store: restore all of it first")
	default:
		return errors.New("the source is empty, and no server has used it: there is nothing to move")
	}
}

// howToEmpty says how a target can be used that is not empty.
const howToEmpty = "choose another target, or empty this one if nothing needs it any more"

func checkTarget(from, to contents, p plan) error {
	changed := slices.DeleteFunc(slices.Clone(p.steps), func(s step) bool { return s.action == toKeep })
	switch {
	case to.id != "" && to.id != from.id:
		return fmt.Errorf("the target is another store, with ID %s and %s: %s", to.id, english.Plural(len(to.objects), "object", ""), howToEmpty)
	case to.id != "" && len(changed) > 0:
		return fmt.Errorf("the target is a complete copy of the source, and one of them was used since: %s, the first is %s; "+
			"which store is right, migrate-store cannot know: if it is the source, empty the target, and run this again", english.Plural(len(changed), "object differs", "objects differ"), changed[0].key)
	case to.id == "" && to.copyOf != "" && to.copyOf != from.id:
		return fmt.Errorf("the target is an incomplete copy of another store, with ID %s: %s", to.copyOf, howToEmpty)
	case to.id == "" && to.copyOf == "" && len(to.objects) > 0:
		return fmt.Errorf("the target has %s of unknown origin, and no ID: %s", english.Plural(len(to.objects), "object", ""), howToEmpty)
	}
	return nil
}

// compare returns what it takes to make the objects of the target those of the source.
func compare(from, to contents) []step {
	var steps []step
	for k, data := range from.objects {
		there, ok := to.objects[k]
		switch {
		case !ok:
			steps = append(steps, step{key: k, action: toCopy})
		case bytes.Equal(data, there):
			steps = append(steps, step{key: k, action: toKeep})
		default:
			steps = append(steps, step{key: k, action: toReplace})
		}
	}
	for k := range to.objects {
		if _, ok := from.objects[k]; !ok {
			steps = append(steps, step{key: k, action: toRemove})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.String(), b.String()) })
	return steps
}

// same says whether two readings are of the same objects.
func same(a, b contents) bool { return maps.EqualFunc(a.objects, b.objects, bytes.Equal) }
