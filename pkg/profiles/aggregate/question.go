// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"strconv"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// question is what checks ask about the cluster. Exactly one of its fields is set.
type question struct {
	anyNode  label
	versions versions
	// nodes is how many nodes there must be.
	nodes int32
	// operational is on how many nodes a profile must be Operational.
	operational atLeast
}

// label is a label of a node. Without a value, each one will do.
type label struct {
	key      string
	value    string
	hasValue bool
}

// atLeast are so many nodes of a profile.
type atLeast struct {
	profile string
	min     int32
}

// ask returns the answer: yes or no, or the highest version.
func (a *Aggregate) ask(q question) string {
	v := view{a}
	switch {
	case q.anyNode.key != "":
		_, found := v.AnyNode(q.anyNode.key, q.anyNode.valueOrNil())
		return strconv.FormatBool(found)
	case q.versions.label != "":
		highest, _, _ := v.HighestVersion(q.versions.label, q.versions.parse, q.versions.profile)
		return highest
	case q.nodes != 0:
		return strconv.FormatBool(v.NodeCount() >= int(q.nodes))
	}
	operational := v.InState(q.operational.profile, v1beta1.ProfileOperational)
	return strconv.FormatBool(len(operational) >= int(q.operational.min))
}

func (l label) valueOrNil() *string {
	if l.hasValue {
		return &l.value
	}
	return nil
}

// flip is an answer that has become another one.
type flip struct{ before, after string }

// flips asks all questions again, and returns those whose answers have become other ones.
func (a *Aggregate) flips() map[question]flip {
	var flips map[question]flip
	for q, before := range a.answers {
		after := a.ask(q)
		if after == before {
			continue
		}
		if flips == nil {
			flips = map[question]flip{}
		}
		flips[q], a.answers[q] = flip{before, after}, after
	}
	return flips
}

// flipped returns the NodeProfiles whose checks the flips are about. Of a version, these are those that have become the
// highest with it, or are it no more.
func (a *Aggregate) flipped(flips map[question]flip) []string {
	var woken []string
	if len(flips) == 0 {
		return nil
	}
	for _, p := range a.profiles {
		for state, asked := range p.needs {
			for _, q := range asked.questions {
				if f, flipped := flips[q]; flipped {
					woken = append(woken, a.concerned(p, state, q, f)...)
				}
			}
		}
	}
	return woken
}

// concerned returns the NodeProfiles of a profile in a state for which a flip makes a difference.
func (a *Aggregate) concerned(p *profile, state v1beta1.ProfileState, q question, f flip) []string {
	var woken []string
	for _, m := range p.inState[state] {
		if q.versions.label != "" && !a.differs(m.Node, q.versions, f) {
			continue
		}
		woken = append(woken, p.members[m.Node].Name)
	}
	return woken
}

// differs says whether a node is behind one highest version and not behind the other one.
func (a *Aggregate) differs(node string, v versions, f flip) bool {
	known := a.nodes[node]
	if known == nil {
		return false
	}
	value := known.Labels[v.label]
	return isBelow(value, f.before, v.parse) != isBelow(value, f.after, v.parse)
}
