// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestReplacementNotes(t *testing.T) {
	tests := map[string]struct {
		before, after v1beta1.ReplacementStep
		deleteFirst   bool
		noNode        bool
		want          []string
	}{
		"it begins":                   {after: v1beta1.StepSurge},
		"it begins with the drain":    {after: v1beta1.StepAwaitDrain, deleteFirst: true},
		"added":                       {before: v1beta1.StepSurge, after: v1beta1.StepAwaitNewNode, want: []string{ReasonSurgeAdded}},
		"added, and Ready at once":    {before: v1beta1.StepSurge, after: v1beta1.StepAwaitDrain, want: []string{ReasonSurgeAdded, ReasonNewNodeReady}},
		"Ready":                       {before: v1beta1.StepAwaitNewNode, after: v1beta1.StepAwaitDrain, want: []string{ReasonNewNodeReady}},
		"enough without a new one":    {before: v1beta1.StepAwaitNewNode, after: v1beta1.StepAwaitDrain, noNode: true},
		"empty":                       {before: v1beta1.StepAwaitDrain, after: v1beta1.StepDelete},
		"not empty any more":          {before: v1beta1.StepDelete, after: v1beta1.StepAwaitDrain},
		"gone":                        {before: v1beta1.StepAwaitGone, after: v1beta1.StepAwaitReplaced, want: []string{ReasonMachineDeleted}},
		"gone and replaced at once":   {before: v1beta1.StepDelete, after: v1beta1.StepReplaced, want: []string{ReasonMachineDeleted, ReasonMachineReplaced}},
		"replaced":                    {before: v1beta1.StepAwaitReplaced, after: v1beta1.StepReplaced, want: []string{ReasonMachineReplaced}},
		"it goes before one is added": {before: v1beta1.StepSurge, after: v1beta1.StepAwaitGone},
		"undone":                      {before: v1beta1.StepAwaitNewNode, after: v1beta1.StepUndo},
		"undone, but it goes":         {before: v1beta1.StepUndo, after: v1beta1.StepDelete},
		"undone, but it is gone":      {before: v1beta1.StepUndo, after: v1beta1.StepAwaitReplaced, want: []string{ReasonMachineDeleted}},
		"given up":                    {before: v1beta1.StepUndo, after: v1beta1.StepGivenUp},
		"nothing":                     {before: v1beta1.StepAwaitReplaced, after: v1beta1.StepAwaitReplaced},
		"deleted first, gone at once": {before: v1beta1.StepAwaitDrain, after: v1beta1.StepAwaitReplaced, deleteFirst: true, want: []string{ReasonMachineDeleted}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			at := func(step v1beta1.ReplacementStep) *v1beta1.MachineReplacement {
				r := &v1beta1.MachineReplacement{Strategy: v1beta1.SurgeFirst, Step: step, NewNode: "new"}
				if test.deleteFirst {
					r.Strategy = v1beta1.DeleteFirst
				}
				if test.noNode {
					r.NewNode = ""
				}
				return r
			}
			var before *v1beta1.MachineReplacement
			if test.before != "" {
				before = at(test.before)
			}
			var got []string
			for _, note := range ReplacementNotes(before, at(test.after)) {
				got = append(got, note.Reason)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
