// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
)

// instance is a check, a trigger or a notifier of the controller, translated.
type instance[T any] struct {
	value T
	at    Place
	// name is what it is called here, and kind its type there.
	name, kind string
	// broken says that it cannot be mapped, and used that a profile names it.
	broken, used bool
}

// instances are all of one section, in the order of the file.
type instances[T any] struct {
	report *Report
	all    []*instance[T]
	byName map[string]*instance[T]
}

// plugin is what a kind of instance is translated from.
type plugin struct {
	*translation
	// name is the name of the instance here.
	name string
	// all is the whole instance, and config its config.
	all, config *block
}

// kind translates the instances of one type.
type kind[T any] struct {
	translate func(*plugin) T
	// noConfig says that config may be left out.
	noConfig bool
}

// load translates the instances of a section.
func load[T any](t *translation, of *block, section string, kinds map[string]kind[T], reserved func(string) bool) *instances[T] {
	loaded := &instances[T]{report: &t.result.Report, byName: map[string]*instance[T]{}}
	names := names{reserved: reserved, taken: map[string]bool{}}
	of.each(section, func(item *block) {
		before := t.result.Report.Count(Unmapped)
		made := &instance[T]{at: item.at}
		name := item.text("name", required)
		if earlier := loaded.byName[name]; earlier != nil {
			loaded.replace(earlier)
			made.name = earlier.name
		} else {
			made.name = names.of(name)
		}
		if made.name != name && name != "" {
			item.say("name", Changed, fmt.Sprintf("renamed to %s: names have letters, digits and _, and are no words of CEL", made.name))
		}
		made.kind = item.text("type", required)
		made.value = translateOne(t, item, made, kinds, section)
		item.done()
		made.broken = t.result.Report.Count(Unmapped) > before
		loaded.all = append(loaded.all, made)
		loaded.byName[name] = made
	})
	return loaded
}

func translateOne[T any](t *translation, item *block, made *instance[T], kinds map[string]kind[T], section string) T {
	var none T
	known, ok := kinds[made.kind]
	if !ok {
		if made.kind != "" {
			item.say("type", Unmapped, fmt.Sprintf("there is no %s of this type; upper and lower case matter", section))
		}
		item.drop("it is of a type that is not known")
		return none
	}
	p := &plugin{translation: t, name: made.name, all: item, config: item.inner("config")}
	if p.config == nil {
		if !known.noConfig {
			item.say("config", Unmapped, "must be set: the controller stops without it")
			return none
		}
		p.config = &block{doc: item.doc, at: item.at.under("config", item.at.Line)}
	}
	value := known.translate(p)
	p.config.done()
	return value
}

// replace drops an instance since a later one has its name.
func (in *instances[T]) replace(earlier *instance[T]) {
	for i, known := range in.all {
		if known == earlier {
			in.all = append(in.all[:i:i], in.all[i+1:]...)
			break
		}
	}
	in.report.dropUnder(earlier.at, "another instance of the same name comes later, and the controller uses that one")
}

// use returns the instance that a chain names; nil if there is none.
func (in *instances[T]) use(name string) *instance[T] {
	if in == nil || in.byName[name] == nil {
		return nil
	}
	in.byName[name].used = true
	return in.byName[name]
}

// selected returns the instances that a profile has, in the order of the file, without those that cannot be mapped.
func (in *instances[T]) selected(names map[string]bool) []T {
	var values []T
	if in == nil {
		return nil
	}
	for _, one := range in.all {
		if names[one.name] {
			values = append(values, one.value)
		}
	}
	return values
}

func (in *instances[T]) dropUnused() {
	if in == nil {
		return
	}
	for _, one := range in.all {
		if !one.used {
			in.report.dropUnder(one.at, "no profile uses it")
		}
	}
}
