// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// team is a role that lets its users write events, and schedule them for one node.
const team = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules:
- {apiGroups: [maintenance.medik8s.io], resources: [scheduledevents, scheduledevents/status], verbs: ["*"]}
- {apiGroups: [maintenance.medik8s.io], resources: [nodes/maintenance], resourceNames: [NODE], verbs: [schedule]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: NAME}]
`

// teamOf is kubectl for a user who may schedule events for one node.
func (p *pool) teamOf(t *testing.T, node string) *env.Kubectl {
	t.Helper()
	objects := strings.NewReplacer("NAME", p.Name, "NODE", node).Replace(team)
	p.Kubectl().Must(t, objects, "create", "-f", "-")
	t.Cleanup(func() { p.revoke(t, p.Name) })
	p.WaitForUserPermission(t, p.Name, authorizationv1.ResourceAttributes{
		Group: v1beta1.GroupName, Resource: "nodes", Subresource: "maintenance", Name: node, Verb: "schedule",
	}, true)
	return p.KubectlAs(t, p.Name)
}

// revoke removes a role and its binding.
func (p *pool) revoke(t *testing.T, name string) {
	t.Helper()
	ctx, rbac := context.WithoutCancel(t.Context()), p.Kube.RbacV1()
	err := errors.Join(rbac.ClusterRoleBindings().Delete(ctx, name, metav1.DeleteOptions{}), rbac.ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{}))
	if err != nil {
		t.Errorf("could not revoke %s: %v", name, err)
	}
}

// ticket is an event as a person writes it.
const ticket = `apiVersion: maintenance.medik8s.io/v1beta1
kind: ScheduledEvent
metadata: {name: NAME}
spec: {source: tickets, eventID: CHG-1041, code: system-reboot, nodeName: NODE, description: new firmware}
`

func ticketOf(name, node string) string {
	return strings.NewReplacer("NAME", name, "NODE", node).Replace(ticket)
}

// A person announces an event of a node that is theirs to schedule, sees how it goes, waits for it, and ends it midway.
func TestPersonSchedulesAnEvent(t *testing.T) {
	p := newPool(t, 2)
	own, other := p.Nodes[0], p.Nodes[1]
	kubectl, name := p.teamOf(t, own), p.Name+"-ticket"
	if out := kubectl.Try(t, ticketOf(name, other), "create", "-f", "-"); out.Code == 0 || !strings.Contains(out.Stderr, `cannot schedule resource "nodes/maintenance"`) {
		t.Errorf("for another node: exit code %d, %s", out.Code, out.Stderr)
	}
	p.removeAfter(t, name)
	created := kubectl.Try(t, ticketOf(name, own), "create", "-f", "-")
	if created.Code != 0 || !strings.Contains(created.Stderr, "the drain starts as soon as windows and limits of policies allow") {
		t.Fatalf("exit code %d, %s%s; want it created with a warning", created.Code, created.Stdout, created.Stderr)
	}
	kubectl.Must(t, "", "wait", "--for=jsonpath={.status.phase}=Drained", "sev/"+name, "--timeout="+env.Timeout.String())
	for _, want := range []string{own, "system-reboot", "Drain", "Drained"} {
		if row := kubectl.Must(t, "", "get", "sev", name); !strings.Contains(row, want) {
			t.Errorf("it does not show %s:\n%s", want, row)
		}
	}
	p.WaitForEvent(t, "ScheduledEvent", name, "Drained")
	if told := p.Kubectl().Must(t, "", "describe", "sev", name); !strings.Contains(told, "DrainStarted") || !strings.Contains(told, "Waiting For:") {
		t.Errorf("kubectl describe says:\n%s", told)
	}
	p.reboot(t, own)
	kubectl.Must(t, "", "wait", "--for=condition=Completed", "sev/"+name, "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "delete", "sev", name)
	p.gone(t, name)

	kubectl.Must(t, ticketOf(name, own), "create", "-f", "-")
	p.is(t, name, v1beta1.EventPhaseDrained)
	kubectl.Must(t, "", "delete", "sev", name) // returns when the node was given back
	p.WaitUntilClean(t)
}

// Who may write events, but not schedule them for a node, changes nothing of the events of that node: neither their end, nor
// their time, nor what the server says of them.
func TestPersonMayNotSchedule(t *testing.T) {
	p := newPool(t, 2)
	kubectl := p.teamOf(t, p.Nodes[0])
	event := p.announce(t, "foreign", rebootOf(p.Nodes[1], 0))
	p.is(t, event, v1beta1.EventPhaseDrained)
	ready := `{"status":{"phase":"Completed","endTime":"2026-01-01T00:00:00Z"}}`
	for what, args := range map[string][]string{
		"delete":   {"delete", "sev", event, "--wait=false"},
		"cancel":   {"patch", "sev", event, "--type=merge", "-p", `{"spec":{"state":"Canceled"}}`},
		"complete": {"patch", "sev", event, "--type=merge", "-p", `{"spec":{"state":"Completed"}}`},
		"put off":  {"patch", "sev", event, "--type=merge", "-p", `{"spec":{"notBefore":"2099-01-01T00:00:00Z"}}`},
		"describe": {"patch", "sev", event, "--type=merge", "-p", `{"spec":{"description":"something else"}}`},
	} {
		if out := kubectl.Try(t, "", args...); out.Code == 0 || !strings.Contains(out.Stderr, "forbidden") {
			t.Errorf("%s: exit code %d, %s%s", what, out.Code, out.Stdout, out.Stderr)
		}
	}
	for whose, by := range map[string]*env.Kubectl{"the user": kubectl, "the admin": p.Kubectl()} {
		out := by.Try(t, "", "patch", "sev", event, "--subresource=status", "--type=merge", "-p", ready)
		if got := p.get(t, event); got.Status.Phase != v1beta1.EventPhaseDrained {
			t.Errorf("%s sets the status: %s%s", whose, out.Stdout, out.Stderr)
		}
	}
	fake := fmt.Sprintf("apiVersion: maintenance.medik8s.io/v1beta1\nkind: ScheduledEvent\nmetadata: {name: aws.%s}\n"+
		"spec: {source: aws, code: instance-stop, nodeName: %s}\n", p.Name, p.Nodes[0])
	for whose, by := range map[string]*env.Kubectl{"the user": kubectl, "the admin": p.Kubectl()} {
		if out := by.Try(t, fake, "create", "-f", "-"); out.Code == 0 || !strings.Contains(out.Stderr, "only maintenance-apiserver itself") {
			t.Errorf("%s creates an event of AWS: exit code %d, %s%s", whose, out.Code, out.Stdout, out.Stderr)
		}
	}
	p.stays(t, p.Nodes[1], time.Second)
}
