// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// obstacle is something that keeps a pod from leaving the first of two nodes.
type obstacle struct {
	// start sets it up, with the pod, before the node is taken out of service.
	start func(t *testing.T, p *pool)
	// drain says how the node is drained, where that matters.
	drain v1beta1.DrainSpec
	// pod is the name of the pod that cannot leave.
	pod string
	// want is what the blocker says; its message contains the words. Its object
	// begins with want.Object.
	want  v1beta1.DrainBlocker
	words []string
	// column is what kubectl get -o wide shows.
	column string
	// event is said of it on the node and the hold, once it has lasted; empty where
	// that is not waited for.
	event string
	// lift takes it away.
	lift func(t *testing.T, p *pool)
}

// check drains the node, reads why that does not go on, takes the obstacle away,
// and sees that it does.
func (o obstacle) check(t *testing.T) {
	t.Helper()
	p := newPool(t, 2)
	o.start(t, p)
	hold := p.Hold("a", p.Nodes[0])
	hold.Spec.Drain = o.drain
	p.Create(t, hold)
	blocked := p.WaitForHold(t, hold.Name, "drain blocked by "+string(o.want.Reason), func(nm *v1beta1.NodeMaintenance) bool {
		return o.wrong(p, nm) == ""
	})
	if c := condition(blocked, v1beta1.ConditionBlocked); c.Status != "True" || c.Reason != string(o.want.Reason) || !strings.Contains(c.Message, o.pod) {
		t.Errorf("condition Blocked is %+v, want True for %s, with the pod's name", c, o.want.Reason)
	}
	if blocked.Status.Phase != v1beta1.PhaseRunning || blocked.Status.PendingPodCount != 1 {
		t.Errorf("phase %s with %d pods pending, want Running with the one", blocked.Status.Phase, blocked.Status.PendingPodCount)
	}
	o.checkTerminal(t, p, hold.Name)
	if o.event != "" {
		p.waitForEvent(t, kindHold, hold.Name, "DrainBlocked", o.pod, o.event)
		p.waitForEvent(t, kindNode, p.Nodes[0], "DrainBlocked", o.pod, o.event)
	}

	o.lift(t, p)
	done := p.WaitForHold(t, hold.Name, "drain gone on", succeeded)
	if c := condition(done, v1beta1.ConditionBlocked); c.Status != "False" || len(done.Status.Blockers) > 0 || done.Status.LastError != "" {
		t.Errorf("after the drain Blocked is %s, blockers %v, lastError %q; want nothing left", c.Status, done.Status.Blockers, done.Status.LastError)
	}
}

// wrong says what a status lacks of the blocker.
func (o obstacle) wrong(p *pool, nm *v1beta1.NodeMaintenance) string {
	got, found := blockers(nm)[p.Name+"/"+o.pod]
	switch {
	case !found || len(nm.Status.Blockers) != 1:
		return fmt.Sprintf("the blockers are %v", nm.Status.Blockers)
	case got.Reason != o.want.Reason || got.Permanent != o.want.Permanent || got.Object != strings.ReplaceAll(o.want.Object, "NS", p.Name):
		return fmt.Sprintf("the blocker is %+v", got)
	}
	for _, word := range o.words {
		if !strings.Contains(got.Message, strings.ReplaceAll(word, "NS", p.Name)) {
			return fmt.Sprintf("its message %q lacks %q", got.Message, word)
		}
	}
	return ""
}

// checkTerminal looks for the blocker where people see it.
func (o obstacle) checkTerminal(t *testing.T, p *pool, hold string) {
	t.Helper()
	out := p.Kubectl().Must(t, "", "get", "nodemaintenance", hold, "-o", "wide")
	if want := strings.ReplaceAll(o.column, "NS", p.Name); !strings.Contains(out, "BLOCKED BY") || !strings.Contains(out, want) {
		t.Errorf("kubectl get -o wide does not show %q:\n%s", want, out)
	}
	out = p.Kubectl().Must(t, "", "describe", "nodemaintenance", hold)
	for _, want := range append([]string{string(o.want.Reason), p.Name + "/" + o.pod}, o.words...) {
		if want = strings.ReplaceAll(want, "NS", p.Name); !strings.Contains(out, want) {
			t.Errorf("kubectl describe does not show %q:\n%s", want, out)
		}
	}
}

// unready takes readiness from a pod, or gives it back.
func (p *pool) unready(t *testing.T, pod string, value bool) {
	t.Helper()
	args := []string{"annotate", "pod", "-n", p.Name, pod, "localcluster/unready-"}
	if value {
		args[len(args)-1] = "localcluster/unready=true"
	}
	p.Kubectl().Must(t, "", args...)
	want := corev1.ConditionTrue
	if value {
		want = corev1.ConditionFalse
	}
	env.Eventually(t, "readiness of pod "+pod, func(ctx context.Context) string {
		got, err := p.pod(ctx, pod)
		if err != nil {
			return err.Error()
		}
		if podReady(got) == value {
			return "it is not " + string(want)
		}
		return ""
	})
}
