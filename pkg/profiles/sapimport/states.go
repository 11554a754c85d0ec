// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// state is a state in the words of the controller and of this server.
type state struct {
	there string
	here  v1beta1.ProfileState
}

// states translates the states of a profile.
func (p *profileTranslation) states(item *block, into *v1beta1.ProfileStates) {
	specs := []*v1beta1.ProfileStateSpec{&into.Operational, &into.MaintenanceRequired, &into.InMaintenance}
	for i, name := range sapdata.States() {
		if of := item.inner(name); of != nil {
			*specs[i] = p.state(of, state{name, sapdata.State(name)})
		}
	}
}

func (p *profileTranslation) state(of *block, s state) v1beta1.ProfileStateSpec {
	spec := v1beta1.ProfileStateSpec{
		Enter:  list(of, "enter", p.translation.triggers, p.triggers),
		Notify: p.notify(of),
	}
	names := names{reserved: nothingReserved, taken: map[string]bool{}}
	first := map[v1beta1.ProfileState]string{}
	of.each("transitions", func(item *block) {
		transition, ok := p.transition(item, s)
		if !ok {
			return
		}
		p.warnOfTriggers(item, transition, first)
		transition.Name = names.of("to_" + sapdata.StateName(transition.Next))
		spec.Transitions = append(spec.Transitions, transition)
	})
	p.warnOfDrain(of, &spec)
	of.done()
	if len(spec.Transitions) > v1beta1.MaxStateItems {
		of.say("transitions", Unmapped, fmt.Sprintf("at most %d are possible", v1beta1.MaxStateItems))
	}
	return spec
}

// notify leaves out a notifier that is named twice: the controller sends it once as well.
func (p *profileTranslation) notify(of *block) []string {
	named := list(of, "notify", p.translation.notifiers, p.notifiers)
	var once []string
	for _, name := range named {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// warnOfDrain says that notifications do not wait for a drain that is done when the state is entered.
func (p *profileTranslation) warnOfDrain(of *block, spec *v1beta1.ProfileStateSpec) {
	entered := map[string]bool{}
	for _, name := range spec.Enter {
		entered[name] = true
	}
	if len(spec.Notify) > 0 && slices.ContainsFunc(p.translation.triggers.selected(entered), drains) {
		of.say("notify", Changed, "is sent when the state is entered; the controller sends it once the node is drained")
	}
}

func drains(trigger v1beta1.ProfileTrigger) bool {
	return trigger.Hold != nil && trigger.Hold.Stage == v1beta1.StageDrain
}

// transition translates a transition; ok is false if there is none here.
func (p *profileTranslation) transition(item *block, from state) (transition v1beta1.ProfileTransition, ok bool) {
	defer item.done()
	next := item.text("next", required)
	if next == from.there {
		p.result.Report.say(item.at, Dropped, "it leads from a state to the same one, "+
			"and has no effect but to take places of staggers and to hide later transitions")
		for _, f := range item.fields {
			f.taken = true
			p.result.Report.say(f.at, Dropped, "")
		}
		return transition, false
	}
	transition.Next = sapdata.State(next)
	if next != "" && transition.Next == "" {
		item.say("next", Unmapped, "must be operational, maintenance-required or in-maintenance")
	}
	transition.Check = p.chain(item, from)
	transition.Triggers = list(item, "trigger", p.translation.triggers, p.triggers)
	return transition, true
}

// warnOfTriggers warns of a defect of the controller that nobody may rely on.
func (p *profileTranslation) warnOfTriggers(item *block, transition v1beta1.ProfileTransition, first map[v1beta1.ProfileState]string) {
	triggers := fmt.Sprint(transition.Triggers)
	earlier, ok := first[transition.Next]
	switch {
	case !ok:
		first[transition.Next] = triggers
	case earlier != triggers:
		p.result.Report.say(item.at, Changed, "the controller runs the triggers of the first transition to the same state; "+
			"this server runs those of this one")
	}
}
