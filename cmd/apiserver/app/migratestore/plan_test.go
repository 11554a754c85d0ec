// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holds are objects by their names.
func holds(data map[string]string) map[key][]byte {
	objects := map[key][]byte{}
	for name, text := range data {
		objects[key{resource: v1beta1.Resource("nodemaintenances"), name: name}] = []byte(text)
	}
	return objects
}

func TestPlan(t *testing.T) {
	source := contents{id: "A", objects: holds(map[string]string{"a": "1", "b": "2"})}
	for name, tc := range map[string]struct {
		from, to contents
		want     map[string]action
		wantDone bool
		wantErr  string
	}{
		"empty target":                {from: source, want: map[string]action{"a": toCopy, "b": toCopy}},
		"a source without objects":    {from: contents{id: "A"}, want: map[string]action{}},
		"complete copy":               {from: source, to: source, want: map[string]action{"a": toKeep, "b": toKeep}, wantDone: true},
		"complete copy, mark is left": {from: source, to: contents{id: "A", copyOf: "A", objects: source.objects}, want: map[string]action{"a": toKeep, "b": toKeep}, wantDone: true},
		"copy has just begun":         {from: source, to: contents{copyOf: "A"}, want: map[string]action{"a": toCopy, "b": toCopy}},
		"interrupted copy": {
			from: source, to: contents{copyOf: "A", objects: holds(map[string]string{"a": "1"})},
			want: map[string]action{"a": toKeep, "b": toCopy},
		},
		"interrupted copy, the source has changed": {
			from: source, to: contents{copyOf: "A", objects: holds(map[string]string{"a": "0", "c": "3"})},
			want: map[string]action{"a": toReplace, "b": toCopy, "c": toRemove},
		},
		"complete copy, the source has changed": {
			from: source, to: contents{id: "A", objects: holds(map[string]string{"a": "1", "b": "0"})},
			wantErr: "one of them was used since: 1 object differs, the first is nodemaintenances.maintenance.medik8s.io/b",
		},
		"complete copy, the source has one more":     {from: source, to: contents{id: "A", objects: holds(map[string]string{"a": "1"})}, wantErr: "one of them was used since"},
		"complete copy, the source has one less":     {from: contents{id: "A"}, to: source, wantErr: "one of them was used since"},
		"target of another server":                   {from: source, to: contents{id: "B"}, wantErr: "the target is another store, with ID B and 0 objects"},
		"target of another server, the same objects": {from: source, to: contents{id: "B", objects: source.objects}, wantErr: "the target is another store"},
		"interrupted copy of another store":          {from: source, to: contents{copyOf: "B", objects: source.objects}, wantErr: "an incomplete copy of another store, with ID B"},
		"objects of unknown origin":                  {from: source, to: contents{objects: source.objects}, wantErr: "2 objects of unknown origin"},
		"empty source":                               {wantErr: "there is nothing to move"},
		"incomplete source":                          {from: contents{copyOf: "C", objects: source.objects}, wantErr: "an incomplete copy of the store with ID C"},
		"a source that is a part":                    {from: contents{objects: source.objects}, wantErr: "only a part of a store"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := makePlan(tc.from, tc.to)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("got %v, want one line with %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]action{}
			for _, s := range p.steps {
				got[s.name] = s.action
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || p.done != tc.wantDone || p.id != "A" {
				t.Errorf("done %v with ID %s, want %v with ID A; steps (-want +got):\n%s", p.done, p.id, tc.wantDone, diff)
			}
		})
	}
}
