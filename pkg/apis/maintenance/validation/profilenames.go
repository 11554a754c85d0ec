// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	instanceName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	noNamePart   = regexp.MustCompile(`[^A-Za-z0-9_]`)
)

// instanceNames are the names of checks, triggers, notifiers or transitions of one list.
type instanceNames map[string]bool

// validate checks the name of one more of them. who says what the name is for.
func (n instanceNames) validate(name, who string, path *field.Path) field.ErrorList {
	if name != "" && n[name] {
		return field.ErrorList{field.Duplicate(path, quoted(name))}
	}
	n[name] = true
	return validateInstanceName(name, who, path)
}

func validateInstanceName(name, who string, path *field.Path) field.ErrorList {
	switch {
	case name == "":
		return field.ErrorList{field.Required(path, "must be "+who)}
	case len(name) > v1beta1.MaxNameLength:
		return field.ErrorList{field.TooLong(path, "", v1beta1.MaxNameLength)}
	case !instanceName.MatchString(name):
		return field.ErrorList{field.Invalid(path, quoted(name), fmt.Sprintf(
			`must have only letters, digits and "_", and not begin with a digit, such as %s`, possibleName(name)))}
	}
	return nil
}

// possibleName is a name like the one that is refused.
func possibleName(name string) string {
	possible := noNamePart.ReplaceAllString(name, "_")
	if strings.IndexFunc(possible, func(r rune) bool { return r < '0' || r > '9' }) != 0 {
		possible = "_" + possible
	}
	return possible[:min(len(possible), v1beta1.MaxNameLength)]
}

// instances are the checks, triggers and notifiers that the states of a profile can name.
type instances struct {
	checks              []string
	triggers, notifiers map[string]bool
}

func instancesOf(spec *v1beta1.MaintenanceProfileSpec) instances {
	known := instances{triggers: map[string]bool{}, notifiers: map[string]bool{}}
	for i := range spec.Checks {
		known.checks = append(known.checks, spec.Checks[i].Name)
	}
	for i := range spec.Triggers {
		known.triggers[spec.Triggers[i].Name] = true
	}
	for i := range spec.Notifiers {
		known.notifiers[spec.Notifiers[i].Name] = true
	}
	return known
}

// validateReference checks that the profile has what a state names. list is where.
func validateReference(name string, known map[string]bool, list string, path *field.Path) field.ErrorList {
	if known[name] {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quoted(name), "must be the name of one of "+list)}
}
