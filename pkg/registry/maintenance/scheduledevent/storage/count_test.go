// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/registrytest"
)

// noNodes is a cluster without nodes.
type noNodes struct{}

func (noNodes) HasNode(string) bool            { return false }
func (noNodes) Nodes() ([]*corev1.Node, error) { return nil, nil }

// eventOf is an event of a user for a node.
func eventOf(node string) v1beta1.ScheduledEvent {
	event := storedEvent()
	event.Spec.NodeName, event.Spec.InstanceID, event.Spec.MachineRef = node, "", nil
	return *event
}

// Users cannot fill the store with events. What the server itself reads from a cloud is stored all the same.
func TestTooManyEvents(t *testing.T) {
	options := registrytest.RESTOptions(t, v1beta1.Resource(scheduledevent.Plural))
	options.Decorator = generic.UndecoratedStorage
	r := newREST(t, options)
	r.nodes = noNodes{}
	as := func(requester user.Info) context.Context {
		return genericapirequest.WithUser(genericapirequest.WithNamespace(genericapirequest.NewContext(), ""), requester)
	}
	alice := as(&user.DefaultInfo{Name: "alice"})
	server := as(&user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}})
	create := func(ctx context.Context, name, node string) error {
		event := eventOf(node)
		event.Name = name
		_, err := r.Create(ctx, &event, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
		return err
	}
	for i := range 1000 - 1 {
		if err := create(server, fmt.Sprintf("event-%d", i), fmt.Sprintf("node-%d", i/32)); err != nil {
			t.Fatal(err)
		}
	}
	const wantOfOne = "there are 32 ScheduledEvents for the same node, instance or machine, and there may be 32: delete those that have ended"
	if err := create(alice, "of-one", "node-0"); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), wantOfOne) {
		t.Errorf("got %v, want a 403: %s", err, wantOfOne)
	}
	if err := create(alice, "last", "last"); err != nil {
		t.Fatal(err)
	}
	const want = "there are 1000 ScheduledEvents of users, and there may be 1000: delete those that have ended, or are not true any more"
	if err := create(alice, "one-more", "more"); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a 403: %s", err, want)
	}
	if err := create(server, "of-the-server", "more"); err != nil {
		t.Error(err)
	}
}
