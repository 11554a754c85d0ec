// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// serverUser is who every replica is to the cluster.
const serverUser = "system:serviceaccount:" + localcluster.ServerNamespace + ":" + localcluster.ServerName

// act is a request of a replica that changes a node or a pod, or is to.
type act struct {
	replica  string
	what     string
	at       time.Time // when kube-apiserver received it
	accepted bool
}

func (a act) String() string {
	return fmt.Sprintf("%s at %s by %s, accepted %t", a.what, a.at.Format(time.TimeOnly+".000"), a.replica, a.accepted)
}

// acts are what the replicas did to the pool's nodes and pods, in the order in which it was answered.
func (d *drains) acts(t *testing.T) []act {
	t.Helper()
	events, err := d.Cluster.AuditEvents(d.Name, func(event *auditv1.Event) bool {
		return event.User.Username == serverUser && changes(event)
	})
	if err != nil {
		t.Fatalf("could not read the audit log: %v", err)
	}
	acts := make([]act, 0, len(events))
	for i := range events {
		acts = append(acts, newAct(&events[i]))
	}
	return acts
}

// changes reports whether a request changes nodes or pods.
func changes(event *auditv1.Event) bool {
	return event.ObjectRef != nil && slices.Contains([]string{"pods", "nodes"}, event.ObjectRef.Resource) &&
		!slices.Contains([]string{"get", "list", "watch"}, event.Verb)
}

// programName finds what the program of a replica is called in the user agents of its requests.
var programName = regexp.MustCompile(`maintenance-apiserver-\d+`)

func newAct(event *auditv1.Event) act {
	ref := event.ObjectRef
	return act{
		replica:  programName.FindString(event.UserAgent),
		what:     strings.Join([]string{event.Verb, ref.Resource, ref.Subresource, ref.Name}, " "),
		at:       event.RequestReceivedTimestamp.Time,
		accepted: event.ResponseStatus != nil && event.ResponseStatus.Code < http.StatusBadRequest,
	}
}

// waitForAct waits until one of the replicas acts after then, and returns how long that took from then on.
func (d *drains) waitForAct(t *testing.T, then time.Time, replicas []*localcluster.Server) time.Duration {
	t.Helper()
	var names []string
	for _, s := range replicas {
		names = append(names, s.Name())
	}
	var first act
	env.Eventually(t, "one of "+strings.Join(names, ", ")+" acts", func(context.Context) string {
		acts := d.acts(t)
		i := slices.IndexFunc(acts, func(a act) bool { return slices.Contains(names, a.replica) && a.accepted && a.at.After(then) })
		if i < 0 {
			return fmt.Sprintf("the last of %d acts: %v", len(acts), acts[max(0, len(acts)-1):])
		}
		first = acts[i]
		return ""
	})
	return first.at.Sub(then)
}

// underWay is how long after a replica came back a request may arrive that it had begun while it still led. No
// client can take back what is half sent. Each such request names the version that it is about.
const underWay = time.Second

// wantNoActs checks that a replica that lost the lease, and came back later, began nothing more, whether or not
// it was let.
func (d *drains) wantNoActs(t *testing.T, by *localcluster.Server, lost, back time.Time) {
	t.Helper()
	for _, a := range d.acts(t) {
		wasUnderWay := a.at.After(back) && a.at.Before(back.Add(underWay))
		if a.replica == by.Name() && a.at.After(lost) && !wasUnderWay {
			t.Errorf("a replica that had lost the lease at %s did: %s", lost.Format(time.TimeOnly+".000"), a)
		}
	}
}

// wantActsOnlyBy checks that no other replica did anything.
func (d *drains) wantActsOnlyBy(t *testing.T, leader *localcluster.Server) {
	t.Helper()
	acts := d.acts(t)
	for _, a := range acts {
		if a.replica != leader.Name() {
			t.Errorf("%s leads, and there was: %s", leader.Name(), a)
		}
	}
	if len(acts) == 0 {
		t.Error("nobody did anything")
	}
}
