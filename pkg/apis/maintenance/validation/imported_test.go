// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// importedFrom is an annotation with some more fields.
func importedFrom(more string) map[string]string {
	const object = `{"apiVersion":"nodemaintenance.medik8s.io/v1beta1","name":"m","uid":"u","creationTime":"2026-01-02T03:00:00Z"`
	return map[string]string{v1beta1.ImportedAnnotation: object + more + "}"}
}

func TestImportedAnnotation(t *testing.T) {
	const touched = `,"nodeUID":"n","nodeBefore":{"unschedulable":false,"addedTaints":["medik8s.io/drain:NoSchedule"]}`
	const path = "metadata.annotations[maintenance.medik8s.io/imported-from]"
	tests := map[string]struct {
		annotations map[string]string
		want        []string
	}{
		"none":      {},
		"untouched": {annotations: importedFrom("")},
		"drained": {annotations: importedFrom(touched +
			`,"startTime":"2026-01-02T03:00:00Z","drainedTime":"2026-01-02T03:10:00Z","drainProgress":100`)},
		"empty": {
			annotations: map[string]string{v1beta1.ImportedAnnotation: ""},
			want:        []string{path + ": Invalid value: must be the JSON that maintenance-apiserver import writes: EOF"},
		},
		"unknown field": {
			annotations: importedFrom(`,"nodeAfter":{}`),
			want:        []string{path + `: Invalid value: must be the JSON that maintenance-apiserver import writes: json: unknown field "nodeAfter"`},
		},
		"more behind it": {
			annotations: map[string]string{v1beta1.ImportedAnnotation: "{} {}"},
			want:        []string{path + ": Invalid value: must be one JSON object with nothing behind it"},
		},
		"too long": {
			annotations: map[string]string{v1beta1.ImportedAnnotation: strings.Repeat("x", 8193)},
			want:        []string{path + ": Too long: may not be more than 8192 bytes"},
		},
		"no object": {
			annotations: map[string]string{v1beta1.ImportedAnnotation: "{}"},
			want: []string{
				path + ".apiVersion: Required value: must tell which object was imported",
				path + ".name: Required value: must tell which object was imported",
				path + ".uid: Required value: must tell which object was imported",
				path + ".creationTime: Required value: must be when the imported object was created",
			},
		},
		"a node that was nothing before": {
			annotations: importedFrom(`,"nodeUID":"n"`),
			want:        []string{path + `.nodeUID: Invalid value: "n": must be set if, and only if, nodeBefore is set`},
		},
		"a taint of others": {
			annotations: importedFrom(`,"nodeUID":"n","nodeBefore":{"unschedulable":false,"addedTaints":["dedicated=gpu:NoSchedule"]}`),
			want: []string{path + `.nodeBefore.addedTaints[0]: Unsupported value: "dedicated=gpu:NoSchedule": supported values: ` +
				`"medik8s.io/drain:NoSchedule", "kubevirt.io/drain:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"`},
		},
		"begun before it was created": {
			annotations: importedFrom(touched + `,"startTime":"2026-01-02T02:00:00Z"`),
			want:        []string{path + `.startTime: Invalid value: "2026-01-02T02:00:00Z": must not be before creationTime, and needs nodeBefore`},
		},
		"drained before it began": {
			annotations: importedFrom(touched + `,"startTime":"2026-01-02T03:05:00Z","drainedTime":"2026-01-02T03:01:00Z"`),
			want:        []string{path + `.drainedTime: Invalid value: "2026-01-02T03:01:00Z": must not be before startTime`},
		},
		"times that cannot be stored": {
			annotations: importedFrom(touched + `,"startTime":"9999-12-31T23:59:58-14:00","drainedTime":"9999-12-31T23:59:59-14:00"`),
			want: []string{
				path + `.startTime: Invalid value: "10000-01-01T13:59:58Z": must be in a year between 1970 and 2200`,
				path + `.drainedTime: Invalid value: "10000-01-01T13:59:59Z": must be in a year between 1970 and 2200`,
			},
		},
		"numbers that cannot be": {
			annotations: importedFrom(`,"drainProgress":101,"totalPods":-1,"evictionPods":-2,"pendingPodCount":-3`),
			want: []string{
				path + ".drainProgress: Invalid value: 101: must be between 0 and 100, inclusive",
				path + ".totalPods: Invalid value: -1: must not be negative",
				path + ".evictionPods: Invalid value: -2: must not be negative",
				path + ".pendingPodCount: Invalid value: -3: must not be negative",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			nm.Annotations = test.annotations
			wantErrors(t, ValidateNodeMaintenance(nm), test.want...)
		})
	}
}

func TestImportedAnnotationStays(t *testing.T) {
	const want = "metadata.annotations[maintenance.medik8s.io/imported-from]: Forbidden: can be set only on a new object, " +
		"and not be changed; maintenance-apiserver import sets it"
	tests := map[string]struct {
		before, after map[string]string
		want          []string
	}{
		"as it was":    {before: importedFrom(""), after: importedFrom("")},
		"never there":  {after: map[string]string{"a": "b"}},
		"set later":    {after: importedFrom(""), want: []string{want}},
		"empty, later": {after: map[string]string{v1beta1.ImportedAnnotation: ""}, want: []string{want}},
		"changed":      {before: importedFrom(""), after: importedFrom(`,"phase":"Failed"`), want: []string{want}},
		"taken away":   {before: importedFrom(""), want: []string{want}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := validNodeMaintenance(), validNodeMaintenance()
			before.Annotations, after.Annotations = test.before, test.after
			wantErrors(t, ValidateNodeMaintenanceUpdate(after, before), test.want...)
		})
	}
}
