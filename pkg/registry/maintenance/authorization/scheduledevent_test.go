// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const scheduleNodes = "schedule maintenance.medik8s.io/v1beta1 nodes/maintenance"

// fakeNodes are the nodes of a cluster by name, with their provider ids; nil: they are not known yet.
type fakeNodes map[string]string

func (n fakeNodes) Nodes() ([]*corev1.Node, error) {
	if n == nil {
		return nil, errors.New("the nodes are not known yet")
	}
	var nodes []*corev1.Node
	for name, providerID := range n {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: providerID}})
	}
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes, nil
}

var cluster = fakeNodes{
	"worker-1": "aws:///eu-west-1a/i-1", "worker-2": "aws:///eu-west-1a/i-2", "forged": "aws:///eu-west-1b/i-2", "kind": "", "prefixed": "aws:///a/xi-1",
}

func event(name string, change ...func(*v1beta1.ScheduledEvent)) *v1beta1.ScheduledEvent {
	e := &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.ScheduledEventSpec{Source: "manual", Code: "system-reboot", State: v1beta1.EventScheduled},
	}
	for _, c := range change {
		c(e)
	}
	return e
}

func ofNode(name string) func(*v1beta1.ScheduledEvent) {
	return func(e *v1beta1.ScheduledEvent) { e.Spec.NodeName = name }
}

func ofInstance(id string) func(*v1beta1.ScheduledEvent) {
	return func(e *v1beta1.ScheduledEvent) { e.Spec.InstanceID = id }
}

func ofMachine(e *v1beta1.ScheduledEvent) {
	e.Spec.MachineRef = &v1beta1.MachineReference{APIGroup: "cluster.x-k8s.io", Namespace: "a", Name: "b"}
}

func ofAWS(e *v1beta1.ScheduledEvent)     { e.Spec.Source = v1beta1.AWSSource }
func canceled(e *v1beta1.ScheduledEvent)  { e.Spec.State = v1beta1.EventCanceled }
func annotated(e *v1beta1.ScheduledEvent) { e.Annotations = map[string]string{"a": "b"} }
func draining(e *v1beta1.ScheduledEvent) {
	e.Status.NodeName, e.Status.DrainStartTime = "worker-3", ptr.To(metav1.Now())
}

func eventWrite(requester string, operation admission.Operation, e, old *v1beta1.ScheduledEvent, subresource string) (context.Context, admission.Attributes) {
	by := &user.DefaultInfo{Name: requester}
	if requester == user.APIServerUser {
		by.Groups = []string{user.SystemPrivilegedGroup}
	}
	var object, before runtime.Object
	if e != nil {
		object = e
	}
	if old != nil {
		before = old
	}
	return genericapirequest.WithUser(context.Background(), by), admission.NewAttributesRecord(object, before, v1beta1.SchemeGroupVersion.WithKind("ScheduledEvent"), "", "a",
		v1beta1.SchemeGroupVersion.WithResource("scheduledevents"), subresource, operation, nil, true, by)
}

// Who has the server act on a node must be permitted to schedule its maintenance.
func TestWhoMaySchedule(t *testing.T) {
	all := []string{scheduleNodes}
	on := func(nodes ...string) []string {
		var asked []string
		for _, node := range nodes {
			asked = append(asked, scheduleNodes+"  "+node)
		}
		return asked
	}
	const create, update, del = admission.Create, admission.Update, admission.Delete
	for name, test := range map[string]struct {
		by          string
		operation   admission.Operation
		event, old  *v1beta1.ScheduledEvent
		subresource string
		want        []string
	}{
		"a node":                        {operation: create, event: event("a", ofNode("worker-1")), want: on("worker-1")},
		"a node that is not there":      {operation: create, event: event("a", ofNode("worker-9")), want: on("worker-9")},
		"an instance":                   {operation: create, event: event("a", ofInstance("i-1")), want: on("worker-1")},
		"an instance of two nodes":      {operation: create, event: event("a", ofInstance("i-2")), want: on("forged", "worker-2")},
		"an instance of no node":        {operation: create, event: event("a", ofInstance("i-3")), want: all},
		"a machine":                     {operation: create, event: event("a", ofMachine), want: all},
		"a machine and its instance":    {operation: create, event: event("a", ofMachine, ofInstance("i-1")), want: on("worker-1")},
		"a node and another's instance": {operation: create, event: event("a", ofNode("kind"), ofInstance("i-1")), want: on("kind")},
		"it is canceled":                {operation: update, event: event("a", ofNode("worker-1"), canceled), old: event("a", ofNode("worker-1")), want: on("worker-1")},
		"another node is asked for":     {operation: update, event: event("a", ofNode("worker-2")), old: event("a", ofNode("worker-1")), want: on("worker-1")},
		"an annotation":                 {operation: update, event: event("a", ofMachine, annotated), old: event("a", ofMachine), want: all},
		"a delete":                      {operation: del, old: event("a", ofInstance("i-1")), want: on("worker-1")},
		"a delete while it drains":      {operation: del, old: event("a", ofMachine, draining), want: on("worker-3")},
		"what AWS says is deleted":      {operation: del, old: event("aws.e", ofAWS, ofInstance("i-1")), want: on("worker-1")},
		"what AWS says is annotated":    {operation: update, event: event("aws.e", ofAWS, ofInstance("i-1"), annotated), old: event("aws.e", ofAWS, ofInstance("i-1")), want: on("worker-1")},
		"the status":                    {operation: update, event: event("a", ofNode("worker-1")), old: event("a", ofNode("worker-1")), subresource: "status"},
		"the server":                    {by: user.APIServerUser, operation: create, event: event("aws.e", ofAWS, ofInstance("i-3"))},
		"the server changes it":         {by: user.APIServerUser, operation: update, event: event("aws.e", ofAWS, canceled), old: event("aws.e", ofAWS)},
	} {
		t.Run(name, func(t *testing.T) {
			q := &questions{}
			plugin := New(q, "")
			plugin.KnowNodes(cluster)
			by := test.by
			if by == "" {
				by = "alice"
			}
			ctx, attributes := eventWrite(by, test.operation, test.event, test.old, test.subresource)
			if err := plugin.Validate(ctx, attributes, nil); err != nil || !slices.Equal(q.asked, test.want) {
				t.Errorf("got %v, asked %q, want %q", err, q.asked, test.want)
			}
			if test.operation != update || test.subresource != "" {
				return
			}
			q.asked = nil
			if err := plugin.AuthorizeUpdate(ctx, "", test.event, test.old); err != nil || !slices.Equal(q.asked, test.want) {
				t.Errorf("before validation: got %v, asked %q, want %q", err, q.asked, test.want)
			}
		})
	}
}

func TestWhoMayNotSchedule(t *testing.T) {
	const onlyServer = "only maintenance-apiserver itself "
	for name, test := range map[string]struct {
		event, old *v1beta1.ScheduledEvent
		nodes      Nodes
		refuse     []string
		want       string
	}{
		"the node": {
			event: event("a", ofNode("worker-1")), nodes: cluster, refuse: []string{scheduleNodes + "  worker-1"},
			want: `scheduledevents.maintenance.medik8s.io "a" is forbidden: User "alice" cannot schedule resource "nodes/maintenance" in API group ` +
				`"maintenance.medik8s.io" named "worker-1", which spec.nodeName asks for`,
		},
		"one of the nodes of an instance": {
			event: event("a", ofInstance("i-2")), nodes: cluster, refuse: []string{scheduleNodes + "  worker-2"},
			want: `named "worker-2", which spec.instanceID asks for`,
		},
		"an instance of no node": {
			event: event("a", ofInstance("i-3")), nodes: cluster, refuse: []string{scheduleNodes},
			want: `in API group "maintenance.medik8s.io", which a spec.instanceID that no node has asks for`,
		},
		"an instance, and nobody knows the nodes": {event: event("a", ofInstance("i-1")), refuse: []string{scheduleNodes}, want: "which spec.instanceID asks for"},
		"a machine": {event: event("a", ofMachine), nodes: cluster, refuse: []string{scheduleNodes}, want: "which an event that names no node asks for"},
		"a change": {
			event: event("a", ofNode("worker-2")), old: event("a", ofNode("worker-1")), nodes: cluster, refuse: []string{scheduleNodes + "  worker-1"},
			want: `named "worker-1", which spec.nodeName asks for`,
		},
		"a delete": {old: event("a", ofNode("worker-1")), nodes: cluster, refuse: []string{scheduleNodes + "  worker-1"}, want: `named "worker-1"`},
		"the source of the server": {
			event: event("a", ofAWS, ofNode("worker-1")), nodes: cluster,
			want: onlyServer + "creates ScheduledEvents of the source aws, and those whose names begin with aws.: use another source and another name",
		},
		"a name of the server":       {event: event("aws.e", ofNode("worker-1")), nodes: cluster, want: onlyServer + "creates ScheduledEvents of the source aws"},
		"what AWS says is changed":   {event: event("aws.e", ofAWS, canceled), old: event("aws.e", ofAWS), nodes: cluster, want: onlyServer + "changes the spec of ScheduledEvents of the source aws, as the cloud says"},
		"the nodes are not known":    {event: event("a", ofInstance("i-1")), nodes: fakeNodes(nil), want: "the nodes are not known yet"},
		"nobody can tell what it is": {want: "could not tell which event the request is about"},
	} {
		t.Run(name, func(t *testing.T) {
			plugin := New(&questions{refuse: test.refuse}, "")
			if test.nodes != nil {
				plugin.KnowNodes(test.nodes)
			}
			operation := admission.Create
			switch {
			case test.event == nil:
				operation = admission.Delete
			case test.old != nil:
				operation = admission.Update
			}
			ctx, attributes := eventWrite("alice", operation, test.event, test.old, "")
			err := plugin.Validate(ctx, attributes, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if known := test.nodes != nil; len(test.refuse) > 0 && known && !apierrors.IsForbidden(err) {
				t.Errorf("got %v, want a 403", err)
			}
		})
	}
}

// What comes without a user is not stored.
func TestUpdateOfAnEventByNobody(t *testing.T) {
	if err := New(&questions{}, "").AuthorizeUpdate(t.Context(), "", event("a"), event("a")); !apierrors.IsInternalError(err) {
		t.Errorf("got %v, want an internal error", err)
	}
}
