// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// notes are what a term remembers of events beside what is stored, by name. Nothing is wrong without them.
type notes struct {
	mu sync.Mutex
	of map[string]note
}

type note struct {
	written time.Time
	plan    planned
	machine foundMachine
	// refusal is the reason why this server refused the hold last; empty: it did not. refusedAt is when.
	refusal   string
	refusedAt time.Time
	// kept is the reason why this server refused to delete the hold last, and trouble why machines could not be read or changed last;
	// empty: nothing is known of that.
	kept, trouble string
}

// planned is how long a drain takes.
type planned struct {
	// uid is the UID of the node, and at is when the plan was made.
	uid   types.UID
	at    time.Time
	takes time.Duration
}

func (n *notes) get(name string) note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[name]
}

func (n *notes) change(name string, change func(*note)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := n.of[name]
	change(&changed)
	if n.of == nil {
		n.of = map[string]note{}
	}
	n.of[name] = changed
}

func (n *notes) forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.of, name)
}

func (n *notes) written(name string) time.Time    { return n.get(name).written }
func (n *notes) plan(name string) planned         { return n.get(name).plan }
func (n *notes) machine(name string) foundMachine { return n.get(name).machine }
func (n *notes) refusal(name string) string       { return n.get(name).refusal }
func (n *notes) refusedAt(name string) time.Time  { return n.get(name).refusedAt }
func (n *notes) kept(name string) string          { return n.get(name).kept }
func (n *notes) trouble(name string) string       { return n.get(name).trouble }
func (n *notes) wrote(name string, at time.Time)  { n.change(name, func(n *note) { n.written = at }) }

func (n *notes) planned(name string, plan planned) { n.change(name, func(n *note) { n.plan = plan }) }

func (n *notes) found(name string, found foundMachine) {
	n.change(name, func(n *note) { n.machine = found })
}

// refuse notes why the hold was refused; empty: it was not.
func (n *notes) refuse(name, why string) {
	if n.refusal(name) != why {
		n.change(name, func(n *note) { n.refusal, n.refusedAt = why, time.Time{} })
	}
}

// refuseAt does so for a write.
func (n *notes) refuseAt(name, why string, at time.Time) {
	n.change(name, func(n *note) { n.refusal, n.refusedAt = why, at })
}

// keep notes why the hold could not be deleted; nil: it could.
func (n *notes) keep(name string, err error) {
	if why := text(err); n.kept(name) != why {
		n.change(name, func(n *note) { n.kept = why })
	}
}

// troubled notes why machines could not be read or changed; nil: they could.
func (n *notes) troubled(name string, err error) {
	if why := text(err); n.trouble(name) != why {
		n.change(name, func(n *note) { n.trouble = why })
	}
}

// text is what an error says; empty if it is nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
