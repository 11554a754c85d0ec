// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// defaultProfile is the profile of nodes that have no profile in their label.
const defaultProfile = "default"

// aliasForm is that of a value of a label.
var aliasForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)

// profileTranslation is the translation of one profile.
type profileTranslation struct {
	*translation
	// checks, triggers and notifiers are those that it names, by their names here.
	checks, triggers, notifiers map[string]bool
}

// profiles translates all profiles. Of several with one name, the controller has the last.
func (t *translation) profiles(top *block) {
	type made struct {
		at      Place
		profile *v1beta1.MaintenanceProfile
		// whole says that it is used: all of it can be mapped, and none of its name comes later.
		whole bool
	}
	var all []made
	byName := map[string]int{}
	names := names{taken: map[string]bool{}}
	top.each("profiles", func(item *block) {
		name := item.text("name", required)
		if i, ok := byName[name]; ok {
			t.result.Report.dropUnder(all[i].at, "another profile of the same name comes later, and the controller uses that one")
			delete(names.taken, all[i].profile.Name)
			all[i].whole = false
		}
		byName[name] = len(all)
		profile, whole := t.profile(item, name, &names)
		all = append(all, made{item.at, profile, whole})
	})
	for _, m := range all {
		if m.whole {
			t.result.Profiles = append(t.result.Profiles, *m.profile)
		}
	}
}

// profile translates a profile. It says whether all of it can be mapped.
func (t *translation) profile(item *block, name string, names *names) (profile *v1beta1.MaintenanceProfile, whole bool) {
	before := t.result.Report.Count(Unmapped)
	p := &profileTranslation{translation: t, checks: map[string]bool{}, triggers: map[string]bool{}, notifiers: map[string]bool{}}
	profile = &v1beta1.MaintenanceProfile{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "MaintenanceProfile"},
		ObjectMeta: metav1.ObjectMeta{Name: names.dns(name)},
	}
	nameProfile(item, name, profile)
	profile.Spec.Nodes = v1beta1.ProfileNodes{ByLabel: true, Unlabelled: name == defaultProfile}
	profile.Spec.NodeGoneSeconds = new(int64) // the controller forgets a node that is deleted at once
	p.states(item, &profile.Spec.States)
	item.done()
	usesBroken := p.copyInstances(item, &profile.Spec)
	if name == "" || usesBroken || t.result.Report.Count(Unmapped) > before {
		t.result.Report.say(item.at, Unmapped, "the profile is left out: see what of it cannot be mapped")
		return profile, false
	}
	return profile, true
}

// nameProfile sets the alias if the name of the object cannot be that of the profile.
func nameProfile(item *block, name string, profile *v1beta1.MaintenanceProfile) {
	switch {
	case name == "":
		return
	case strings.Contains(name, v1beta1.ProfileSeparator) || !aliasForm.MatchString(name):
		item.say("name", Unmapped, fmt.Sprintf("no node can have this profile: a value of a label has up to 63 letters, digits, -, _ and ., "+
			"and %s is between two profiles", v1beta1.ProfileSeparator))
	case name != profile.Name:
		profile.Spec.Alias = name
		item.say("name", Changed, fmt.Sprintf("the object is named %s; the alias keeps the name", profile.Name))
	}
	if name == defaultProfile {
		item.say("name", TakenOver, "selects the nodes whose label has no profile, too")
	}
}

// copyInstances copies what the profile names into it. It says whether some of that cannot be mapped.
func (p *profileTranslation) copyInstances(item *block, spec *v1beta1.MaintenanceProfileSpec) (broken bool) {
	spec.Checks = p.translation.checks.selected(p.checks)
	spec.Triggers = p.translation.triggers.selected(p.triggers)
	spec.Notifiers = p.translation.notifiers.selected(p.notifiers)
	for _, limit := range []struct {
		what       string
		have, most int
	}{
		{"checks", len(spec.Checks), v1beta1.MaxProfileChecks},
		{"triggers", len(spec.Triggers), v1beta1.MaxProfileTriggers},
		{"notifiers", len(spec.Notifiers), v1beta1.MaxProfileNotifiers},
	} {
		if limit.have > limit.most {
			p.result.Report.say(item.at, Unmapped, fmt.Sprintf("uses %d %s, at most %d are possible", limit.have, limit.what, limit.most))
		}
	}
	return brokenAmong(p.translation.checks, p.checks) || brokenAmong(p.translation.triggers, p.triggers) ||
		brokenAmong(p.translation.notifiers, p.notifiers)
}

func brokenAmong[T any](in *instances[T], names map[string]bool) bool {
	if in == nil {
		return false
	}
	for _, one := range in.all {
		if one.broken && names[one.name] {
			return true
		}
	}
	return false
}
