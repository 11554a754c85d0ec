// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObject(t *testing.T) {
	tests := map[string]struct {
		object, want string
		fields       Fields
	}{
		"only what is named": {
			object: `{"spec":{"a":1,"b":2},"status":{"c":3}}`, fields: Keep("spec.a"), want: `{"spec":{"a":1}}`,
		},
		"through lists": {
			object: `{"spec":{"c":[{"name":"x","env":[{"name":"N","value":"V"}]},{"env":[]}]}}`, fields: Keep("spec.c.name", "spec.c.env.name"),
			want: `{"spec":{"c":[{"name":"x","env":[{"name":"N"}]},{"env":[]}]}}`,
		},
		"a value that is false or 0 stays": {
			object: `{"spec":{"a":false,"b":0,"c":""}}`, fields: Keep("spec.a", "spec.b", "spec.c"), want: `{"spec":{"a":false,"b":0,"c":""}}`,
		},
		"no field": {object: `{"kind":"Secret","data":{"a":"b"}}`, want: `{"kind":"Secret"}`},
		"metadata": {
			object: `{"metadata":{"name":"n","labels":{"a":"b"},"selfLink":"x","annotations":{"a":"b","maintenance.medik8s.io/holds":"h",
				"kubectl.kubernetes.io/last-applied-configuration":"c","kubernetes.io/change-cause":"kubectl --token=x"}}}`,
			want: `{"metadata":{"name":"n","labels":{"a":"b"},"annotations":{"maintenance.medik8s.io/holds":"h"}}}`,
		},
		"managed fields": {
			object: `{"metadata":{"managedFields":[{"manager":"m","operation":"Update","time":"t","fieldsType":"FieldsV1","fieldsV1":{"f:x":{}}}]}}`,
			want:   `{"metadata":{"managedFields":[{"manager":"m","operation":"Update","time":"t"}]}}`,
		},
		"unexpected forms": {
			object: `{"metadata":"x","spec":["y",{"a":{"b":1}},null],"status":7}`, fields: Keep("spec.a.b", "status.c"),
			want: `{"spec":[{"a":{"b":1}}]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Object(parse(t, test.object), test.fields)
			if diff := cmp.Diff(parse(t, test.want), got); diff != "" {
				t.Errorf("what stays (-want +got):\n%s", diff)
			}
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var parsed map[string]any
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Wherever an object may have a secret, MARK stands; what is needed has KEPT.
func TestSecretsAreLeftOut(t *testing.T) {
	metadata := `"metadata":{"name":"KEPT","namespace":"KEPT","annotations":{"vault.example.com/token":"MARK",
		"kubectl.kubernetes.io/last-applied-configuration":"MARK","kubernetes.io/change-cause":"MARK"},
		"managedFields":[{"manager":"KEPT","fieldsV1":{"f:MARK":{}}}]}`
	container := `{"name":"KEPT","image":"KEPT","command":["MARK"],"args":["MARK"],"env":[{"name":"KEPT","value":"MARK"},
		{"name":"REF","valueFrom":{"secretKeyRef":{"name":"MARK","key":"MARK"}}}],"envFrom":[{"secretRef":{"name":"MARK"}}],
		"livenessProbe":{"exec":{"command":["MARK"]}},"readinessProbe":{"httpGet":{"httpHeaders":[{"name":"a","value":"MARK"}]}},
		"startupProbe":{"exec":{"command":["MARK"]}},"lifecycle":{"preStop":{"exec":{"command":["MARK"]}}},"resources":{"limits":{"cpu":"KEPT"}}}`
	status := `{"name":"KEPT","state":{"terminated":{"message":"MARK","reason":"KEPT"}},"lastState":{"waiting":{"message":"MARK","reason":"KEPT"}}}`
	tests := map[string]struct {
		rest   string
		fields Fields
	}{
		"pod": {`"spec":{"nodeName":"KEPT","containers":[` + container + `],"initContainers":[` + container + `],"ephemeralContainers":[` + container + `],
			"volumes":[{"name":"KEPT","csi":{"driver":"KEPT","volumeAttributes":{"password":"MARK"}}},{"name":"f","flexVolume":{"options":{"p":"MARK"}}},
			{"name":"e","ephemeral":{"volumeClaimTemplate":{"metadata":{"annotations":{"a":"MARK"}},"spec":{"storageClassName":"KEPT"}}}}],
			"aFieldOfTomorrow":"MARK"},"status":{"phase":"KEPT","containerStatuses":[` + status + `],"initContainerStatuses":[` + status + `],
			"ephemeralContainerStatuses":[` + status + `],"aFieldOfTomorrow":"MARK"}`, Pod},
		"server pod":     {`"spec":{"containers":[{"args":["--KEPT"],"command":["MARK"],"env":[{"name":"KEPT","value":"MARK"}]}]}`, ServerPod},
		"node":           {`"spec":{"unschedulable":"KEPT","configSource":{"x":"MARK"}},"status":{"nodeInfo":"KEPT","images":["MARK"],"config":"MARK"}`, Node},
		"hold":           {`"spec":{"nodeName":"KEPT"},"status":{"phase":"KEPT"},"data":"MARK"`, Hold},
		"event":          {`"message":"KEPT","reason":"KEPT","aFieldOfTomorrow":"MARK"`, Event},
		"attachment":     {`"spec":{"nodeName":"KEPT","source":{"inlineVolumeSpec":"MARK","persistentVolumeName":"KEPT"}},"status":{"attachmentMetadata":{"a":"MARK"}}`, Attachment},
		"claim":          {`"spec":{"volumeName":"KEPT"},"status":{"phase":"KEPT"},"data":"MARK"`, Claim},
		"store":          {`"id":"KEPT","data":"MARK"`, Store},
		"lease":          {`"spec":{"holderIdentity":"KEPT"}`, Lease},
		"budget":         {`"spec":{"minAvailable":"KEPT"}`, Budget},
		"virtualmachine": {`"spec":{"evictionStrategy":"KEPT","volumes":[{"cloudInitNoCloud":{"userData":"MARK"}}],"accessCredentials":"MARK"},"status":{"nodeName":"KEPT"}`, VirtualMachineInstance},
		"migration":      {`"spec":{"vmiName":"KEPT"},"status":{"phase":"KEPT","x":"MARK"}`, Migration},
		"apiservice":     {`"spec":{"group":"KEPT","caBundle":"MARK"}`, APIService},
		"webhooks":       {`"webhooks":[{"name":"KEPT","clientConfig":{"url":"https://u:MARK@h","caBundle":"MARK","service":{"name":"KEPT"}}}]`, Webhooks},
		"policy":         {`"spec":{"failurePolicy":"KEPT","validations":[{"expression":"MARK"}],"variables":["MARK"]}`, Policy},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := "{" + metadata + "," + test.rest + "}"
			kept, err := json.Marshal(Object(parse(t, text), test.fields))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(kept), "MARK") {
				t.Errorf("something private stays:\n%s", kept)
			}
			if got, want := strings.Count(string(kept), "KEPT"), strings.Count(text, "KEPT"); got != want {
				t.Errorf("%d of %d things stay that are needed:\n%s", got, want, kept)
			}
		})
	}
}
