// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// slow is an expression that is evaluated for some thousandths of a second, which is long enough to be seen.
	slow = "lists.range(5000).all(i, i >= 0)"
	// recordLine and evaluatedFrom are where a crash record has what is being evaluated.
	recordLine, evaluatedFrom = 256, 55 * 256
)

const evaluates = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: slow, node: {expression: "SLOW"}}
states:
  operational:
    transitions: [{name: required, check: slow && needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: back, check: "slow && !needed", next: Operational}]
`

// The server is killed while it evaluates an expression. The next process does not evaluate it again, says so, and goes on
// with other profiles; so does one that finds no crash record. With another text, the profile goes on.
func (o *own) diesOfAnExpression(t *testing.T) {
	p := o.newPool(t, 4)
	record := filepath.Join(t.TempDir(), "crash-record")
	o.kill(t)
	o.Server.SetExtraArgs("--allow-loopback-endpoints", "--crash-record="+record)
	t.Cleanup(func() { o.Server.SetExtraArgs("--allow-loopback-endpoints") })
	o.start(t)
	deadly := p.profile(t, "deadly", strings.ReplaceAll(evaluates, "SLOW", slow))
	other := p.profile(t, "other", cycle)
	for _, node := range p.Nodes {
		p.is(t, deadly, node, v1beta1.ProfileOperational)
	}
	o.killWhileItEvaluates(t, p, record)
	p.label(t, p.Nodes[0], "needed=yes")

	o.start(t)
	o.wantStopped(t, p, deadly, other)
	o.kill(t)
	if err := os.Remove(record); err != nil { // as in a new pod
		t.Fatal(err)
	}
	o.start(t)
	o.wantStopped(t, p, deadly, other)
	p.wantTold(t, deadly)
	p.change(t, deadly, fmt.Sprintf(`{"spec":{"checks":[{"name":"needed","nodeLabel":{"key":"needed"}},{"name":"slow","node":{"expression":%q}}]}}`, slow+" "))
	p.is(t, deadly, p.Nodes[0], v1beta1.ProfileMaintenanceRequired)
}

// killWhileItEvaluates kills the server at a moment at which its crash record says that it is evaluating slow.
func (o *own) killWhileItEvaluates(t *testing.T, p *pool, record string) {
	t.Helper()
	relabeled := 0
	env.Eventually(t, "the server evaluates "+slow, func(context.Context) string {
		relabeled++
		for _, node := range p.Nodes {
			p.label(t, node, fmt.Sprintf("relabeled=%d", relabeled))
		}
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			if !isEvaluated(t, record) {
				continue
			}
			if err := o.Server.Pause(); err != nil {
				t.Fatal(err)
			}
			if isEvaluated(t, record) {
				o.kill(t)
				return ""
			}
			if err := o.Server.Continue(); err != nil {
				t.Fatal(err)
			}
		}
		return "it was not seen to"
	})
}

// isEvaluated says whether the crash record says that slow is being evaluated.
func isEvaluated(t *testing.T, record string) bool {
	t.Helper()
	content, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(slow))
	for noted := content[evaluatedFrom:]; len(noted) >= recordLine; noted = noted[recordLine:] {
		if noted[0] != '.' && bytes.Contains(noted[:recordLine], []byte(hex.EncodeToString(digest[:]))) {
			return true
		}
	}
	return false
}

// wantStopped wants a profile to be stopped after a crash, another one to act on the first node, and no other profile to be
// written with the text.
func (o *own) wantStopped(t *testing.T, p *pool, deadly, other string) {
	t.Helper()
	env.Eventually(t, deadly+" is stopped", func(ctx context.Context) string {
		found, err := p.profiles().Get(ctx, deadly, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		acting := apimeta.FindStatusCondition(found.Status.Conditions, v1beta1.ConditionActing)
		if found.Status.Crash != nil && acting != nil && acting.Reason == v1beta1.ReasonStoppedAfterCrash &&
			strings.HasPrefix(acting.Message, "a process of the server died while it evaluated spec.checks[1].node.expression, which began at ") {
			return ""
		}
		return fmt.Sprintf("%+v", found.Status)
	})
	p.is(t, other, p.Nodes[0], v1beta1.ProfileMaintenanceRequired)
	p.is(t, deadly, p.Nodes[0], v1beta1.ProfileOperational)
	same := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-same"}}
	same.Spec.Nodes.Names = p.Nodes
	same.Spec.Checks = []v1beta1.ProfileCheck{{Name: "slow", Node: &v1beta1.NodeExpressionCheck{Expression: slow}}}
	_, err := p.profiles().Create(t.Context(), same, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil || !strings.Contains(err.Error(), "is not evaluated any more: a process of the server died while it evaluated this") {
		t.Errorf("a dry run gave %v, want a refusal", err)
	}
}

// wantTold wants one event, whatever process leads.
func (p *pool) wantTold(t *testing.T, profile string) {
	t.Helper()
	env.Eventually(t, "people are told", func(ctx context.Context) string {
		events, err := p.Kube.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + profile})
		if err != nil {
			return err.Error()
		}
		if len(events.Items) == 1 && events.Items[0].Reason == "ProfileStoppedAfterCrash" && events.Items[0].Count == 1 {
			return ""
		}
		return fmt.Sprintf("%+v", events.Items)
	})
}
