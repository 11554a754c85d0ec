// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	sigsyaml "sigs.k8s.io/yaml"
)

func TestRenderStages(t *testing.T) {
	rendered := renderStages(1500*time.Millisecond, 2*time.Second)
	var names []string
	delays := map[string]string{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(rendered), 4096)
	for {
		var stage struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				Delay struct {
					DurationFrom struct {
						JQ struct{ Expression string }
					}
				}
			}
		}
		if err := decoder.Decode(&stage); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if stage.Kind != "Stage" {
			t.Errorf("got a %s, want only stages", stage.Kind)
		}
		names = append(names, stage.Metadata.Name)
		delays[stage.Metadata.Name] = stage.Spec.Delay.DurationFrom.JQ.Expression
	}
	if want := []string{"node-ready", "pod-ready", "pod-unready", "pod-ready-again", "pod-complete", "pod-terminate"}; !slices.Equal(names, want) {
		t.Errorf("got stages %v, want %v", names, want)
	}
	for stage, wants := range map[string][]string{
		"pod-ready":     {ReadyDelayAnnotation, `// "1.5s"`},
		"pod-terminate": {TerminationDelayAnnotation, `// "2s"`, "deletionGracePeriodSeconds"},
		"pod-complete":  {CompleteAfterAnnotation},
	} {
		for _, want := range wants {
			if !strings.Contains(delays[stage], want) {
				t.Errorf("got delay %q of %s, want %q in it", delays[stage], stage, want)
			}
		}
	}
	if !bytes.Contains(rendered, []byte(UnreadyAnnotation)) {
		t.Errorf("no stage knows of %s", UnreadyAnnotation)
	}
}

func readPolicy(t *testing.T, rights bool) auditv1.Policy {
	t.Helper()
	var policy auditv1.Policy
	if err := sigsyaml.UnmarshalStrict(renderAuditPolicy(rights), &policy); err != nil {
		t.Fatal(err)
	}
	return policy
}

func TestAuditPolicy(t *testing.T) {
	policy, ofRights := readPolicy(t, false), readPolicy(t, true)
	if diff := cmp.Diff(policy.Rules, ofRights.Rules[1:]); diff != "" || ofRights.Rules[0].Level != auditv1.LevelMetadata {
		t.Errorf("the rules that are added are %+v; the others (-without +with):\n%s", ofRights.Rules[0], diff)
	}
	// A rule only counts for what no rule before it has dealt with.
	levels := []auditv1.Level{}
	for _, rule := range policy.Rules {
		levels = append(levels, rule.Level)
	}
	want := []auditv1.Level{auditv1.LevelNone, auditv1.LevelNone, auditv1.LevelRequest, auditv1.LevelRequest, auditv1.LevelNone, auditv1.LevelNone, auditv1.LevelMetadata}
	if !slices.Equal(levels, want) {
		t.Errorf("got levels %v, want %v", levels, want)
	}
	if !slices.Contains(policy.Rules[4].Users, kwokUser) {
		t.Errorf("the reads of %s should not be in the audit log", kwokUser)
	}
}

func TestRenderScheduler(t *testing.T) {
	var got struct{ ClientConnection struct{ Kubeconfig string } }
	if err := sigsyaml.Unmarshal(renderScheduler("/tmp/a b/kubeconfig"), &got); err != nil {
		t.Fatal(err)
	}
	if want := "/tmp/a b/kubeconfig"; got.ClientConnection.Kubeconfig != want {
		t.Errorf("got kubeconfig %q, want %q", got.ClientConnection.Kubeconfig, want)
	}
}
