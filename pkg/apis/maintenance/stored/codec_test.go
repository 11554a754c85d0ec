// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// newer is a hold as a newer version might store it. Each field with "new" in its name is one that this version
// does not know.
const newer = `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1",
"newRoot":{"a":[1,2.50,12345678901234567890]},
"metadata":{"name":"a","uid":"u","newMeta":"m","labels":{"newLabel":"is known"}},
"spec":{"nodeName":"n","reason":"r","stage":"Drain","newSpec":false,"newPointer":null,
  "drain":{"onTimeout":"Report","unmanagedPods":"Evict","emptyDirPods":"Evict","newDrain":5,
    "podSelector":{"matchLabels":{"app":"web"},"newSelector":"s"},
    "rules":[
      {"podSelector":{"matchExpressions":[{"key":"k","operator":"Exists","newExpression":1}]},"action":"Skip"},
      {"action":"Drain","order":1},
      {"action":"Drain","order":2,"newRule":["r"]}]}},
"status":{"phase":"Running","nodeUID":"n1","evictionPods":0,"totalPods":0,"pendingPodCount":0,"blockedPodCount":0,"skippedPodCount":0,
  "newStatus":{"deep":{"er":true}},
  "nodeBefore":{"unschedulable":false,"newBefore":"b"},
  "blockers":[{"pod":"p/1","reason":"OwnPod","newBlocker":1},{"pod":"p/2","reason":"OwnPod"}],
  "conditions":[
    {"type":"Drained","status":"False","reason":"Draining","message":"3 of 9","lastTransitionTime":"2026-01-01T00:00:00Z","newCondition":"c"},
    {"type":"NewType","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z","newCondition":"d"}]}}`

// everything are the unknown fields of newer.
var everything = []string{
	"newBefore", "newBlocker", "newCondition:c", "newCondition:d", "newDrain", "newExpression", "newMeta", "newPointer",
	"newRoot", "newRule", "newSelector", "newSpec", "newStatus",
}

func TestUnknownFieldsSurvive(t *testing.T) {
	tests := map[string]struct {
		change   func(*v1beta1.NodeMaintenance)
		wantLost []string
	}{
		"no change": {},
		"other fields of the same objects": {change: func(hold *v1beta1.NodeMaintenance) {
			hold.Labels["b"], hold.Spec.Reason, hold.Spec.Stage = "c", "other", v1beta1.StageCordon
			hold.Spec.Drain.OnTimeout = v1beta1.OnTimeoutDelete
			hold.Status.Phase, hold.Status.LastError = v1beta1.PhaseSucceeded, "an error"
		}},
		"a rule is changed": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.Rules[2].Order = 3 },
			wantLost: []string{"newRule"},
		},
		"rules change their places": {change: func(hold *v1beta1.NodeMaintenance) {
			rules := hold.Spec.Drain.Rules
			rules[0], rules[2] = rules[2], rules[0]
		}},
		"a rule is inserted": {change: func(hold *v1beta1.NodeMaintenance) {
			hold.Spec.Drain.Rules = append([]v1beta1.DrainRule{{Action: v1beta1.ActionDrain, Order: 9}}, hold.Spec.Drain.Rules...)
		}},
		"all rules are removed": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.Rules = nil },
			wantLost: []string{"newExpression", "newRule"},
		},
		"a selector is changed": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.PodSelector.MatchLabels["app"] = "db" },
			wantLost: []string{"newSelector"},
		},
		"a record of the node is taken anew": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Status.NodeBefore.Unschedulable = true },
			wantLost: []string{"newBefore"},
		},
		"a record of the node ends": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Status.NodeBefore = nil },
			wantLost: []string{"newBefore"},
		},
		"another node of the name": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Status.NodeUID = "n2" },
			wantLost: []string{"newStatus"},
		},
		"a blocker goes": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Status.Blockers = hold.Status.Blockers[1:] },
			wantLost: []string{"newBlocker"},
		},
		"a condition says another number": {change: func(hold *v1beta1.NodeMaintenance) {
			hold.Status.Conditions[0].Message = "2 of 9"
		}},
		"a condition changes": {
			change:   func(hold *v1beta1.NodeMaintenance) { hold.Status.Conditions[0].Status = metav1.ConditionTrue },
			wantLost: []string{"newCondition:c"},
		},
		"the status is written anew": {
			change: func(hold *v1beta1.NodeMaintenance) {
				hold.Status = v1beta1.NodeMaintenanceStatus{NodeUID: hold.Status.NodeUID}
			},
			wantLost: []string{"newBefore", "newBlocker", "newCondition:c", "newCondition:d"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			hold := decoded(t, newer)
			if test.change != nil {
				test.change(hold)
			}
			written := encoded(t, hold)
			var lost []string
			for _, field := range everything {
				if !hasField(written, field) {
					lost = append(lost, field)
				}
			}
			if diff := cmp.Diff(test.wantLost, lost); diff != "" {
				t.Errorf("lost fields (-want +got):\n%s\nwritten: %s", diff, written)
			}
		})
	}
}

// What was said of a status before its node was known was not said of the node.
func TestUnknownFieldsEndWithANode(t *testing.T) {
	hold := decoded(t, strings.Replace(newer, `"nodeUID":"n1",`, "", 1))
	if written := encoded(t, hold); !hasField(written, "newStatus") {
		t.Errorf("newStatus is lost while there is no node: %s", written)
	}
	hold.Status.NodeUID = "n1"
	if written := encoded(t, hold); hasField(written, "newStatus") {
		t.Errorf("newStatus is there for a node of which it was not said: %s", written)
	}
}

// hasField looks for a field, as name or name:value, in written JSON.
func hasField(written, field string) bool {
	name, value, valued := strings.Cut(field, ":")
	wanted := `"` + name + `":`
	if valued {
		wanted += `"` + value + `"`
	}
	return strings.Contains(written, wanted)
}

// What is not known keeps its place and its value, to the last digit.
func TestUnchangedObjectIsWrittenAsItWas(t *testing.T) {
	want, err := read([]byte(newer))
	if err != nil {
		t.Fatal(err)
	}
	got, err := read([]byte(encoded(t, decoded(t, newer))))
	if err != nil {
		t.Fatal(err)
	}
	delete(got["metadata"].(map[string]any), "creationTimestamp")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

// A second write changes nothing, so that the store sees that nothing has changed.
func TestEncodingSettles(t *testing.T) {
	once := encoded(t, decoded(t, newer))
	if twice := encoded(t, decoded(t, once)); twice != once {
		t.Errorf("encoded again:\n%s\nwant as before:\n%s", twice, once)
	}
}

func TestObjectsWithoutUnknownFields(t *testing.T) {
	hold := decoded(t, `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":"a"},"spec":{"nodeName":"n"}}`)
	if hold.Unknown != "" {
		t.Errorf("unknown fields are %s, want none", hold.Unknown)
	}
	if hold.Spec.Stage != v1beta1.StageDrain {
		t.Errorf("stage is %q, want the default", hold.Spec.Stage)
	}
}

// The store decodes into an object that the caller has made. Nothing that this had may stay.
func TestDecodeInto(t *testing.T) {
	tests := map[string]struct{ stored, want string }{
		"without unknown fields": {stored: `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1"}`},
		"with unknown fields": {
			stored: `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1}`,
			want:   `[{"fields":{"newRoot":1}}]`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			into := &v1beta1.NodeMaintenance{Unknown: "of another object"}
			if _, _, err := Codec.Decode([]byte(test.stored), nil, into); err != nil {
				t.Fatal(err)
			}
			if into.Unknown != v1beta1.UnknownFields(test.want) {
				t.Errorf("unknown fields are %q, want %q", into.Unknown, test.want)
			}
		})
	}
}

// What does not say which object it is stays an error. The store's transformer lets no such data pass.
func TestWhatCannotBeDecoded(t *testing.T) {
	tests := map[string]struct{ stored, want string }{
		"a kind of later": {
			stored: `{"kind":"New","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":"a"}}`,
			want:   `no kind "New" is registered for version "maintenance.medik8s.io/v1beta1"`,
		},
		"no name": {
			stored: `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1","new":1,"spec":{"reason":5}}`,
			want:   "cannot unmarshal number",
		},
		"no JSON": {stored: "x", want: "couldn't get version/kind"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := runtime.Decode(Codec, []byte(test.stored))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %s", err, test.want)
			}
		})
	}
}

func decoded(t testing.TB, data string) *v1beta1.NodeMaintenance {
	t.Helper()
	return decodedObject(t, data).(*v1beta1.NodeMaintenance)
}

func decodedObject(t testing.TB, data string) v1beta1.Stored {
	t.Helper()
	obj, err := runtime.Decode(Codec, []byte(data))
	if err != nil {
		t.Fatalf("could not decode %s: %v", data, err)
	}
	return obj.(v1beta1.Stored)
}

func encoded(t testing.TB, object v1beta1.Stored) string {
	t.Helper()
	data, err := runtime.Encode(Codec, object)
	if err != nil {
		t.Fatalf("could not encode %s: %v", object.GetName(), err)
	}
	return string(data)
}
