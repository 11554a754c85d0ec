// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// chainName is a name in a chain of checks: all but signs and white space.
var chainName = regexp.MustCompile(`[^\s&|!()]+`)

// chain translates the chain of checks of a transition.
func (p *profileTranslation) chain(item *block, from state) string {
	chain := item.text("check", required)
	if chain == "" {
		return ""
	}
	translated := chainName.ReplaceAllStringFunc(chain, func(name string) string { return p.checkInChain(item, name, from) })
	if item.broken("check") {
		return ""
	}
	if _, err := expression.Parse(translated, p.checkNames()); err != nil {
		item.say("check", Unmapped, err.Error())
		return ""
	}
	if len(translated) > v1beta1.MaxExpressionBytes {
		item.say("check", Unmapped, fmt.Sprintf("a chain has at most %d bytes", v1beta1.MaxExpressionBytes))
	}
	return translated
}

func (p *profileTranslation) checkInChain(item *block, name string, from state) string {
	one := p.translation.checks.use(name)
	switch {
	case one == nil:
		item.say("check", Unmapped, fmt.Sprintf("there is no check %q in instances", name))
		return name
	case one.kind == affinityKind && from.here != v1beta1.ProfileMaintenanceRequired:
		item.say("check", Unmapped, fmt.Sprintf("%s is of the type affinity, which ends in an error in any state but maintenance-required", name))
	case one.name != name:
		item.say("check", Changed, fmt.Sprintf("%s is named %s", name, one.name))
	}
	p.checks[one.name] = true
	return one.name
}

func (p *profileTranslation) checkNames() []string {
	var names []string
	for name := range p.checks {
		names = append(names, name)
	}
	return names
}

// list translates a chain of triggers or notifiers: names with && between them. It marks those that the profile names.
func list[T any](of *block, key string, in *instances[T], named map[string]bool) []string {
	chain := of.text(key, optional)
	if chain == "" {
		return nil
	}
	var names []string
	for _, name := range strings.Split(chain, "&&") {
		name = strings.TrimSpace(name)
		one := in.use(name)
		if one == nil {
			of.say(key, Unmapped, fmt.Sprintf("there is no %q in instances; names have && between them", name))
			continue
		}
		if one.name != name {
			of.say(key, Changed, fmt.Sprintf("%s is named %s", name, one.name))
		}
		named[one.name] = true
		names = append(names, one.name)
	}
	if len(names) > v1beta1.MaxStateItems {
		of.say(key, Unmapped, fmt.Sprintf("at most %d are possible", v1beta1.MaxStateItems))
	}
	return names
}
