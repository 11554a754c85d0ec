// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// died is what the process panics with when it dies.
const died = "the process died"

// store is an API server with one NodeProfile. It compares resourceVersions.
type store struct {
	typedv1beta1.NodeProfileInterface
	mu     sync.Mutex
	stored *v1beta1.NodeProfile // nil: it is gone
	writes int
	// before is called before each write, with its number from 1.
	before func(write int)
	// after is called after each write.
	after func(write int)
	// fails are the errors of the next writes.
	fails []error
}

func (s *store) Get(context.Context, string, metav1.GetOptions) (*v1beta1.NodeProfile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored == nil {
		return nil, apierrors.NewNotFound(v1beta1.Resource("nodeprofiles"), "n.p")
	}
	return s.stored.DeepCopy(), nil
}

func (s *store) UpdateStatus(
	_ context.Context, next *v1beta1.NodeProfile, _ metav1.UpdateOptions,
) (*v1beta1.NodeProfile, error) {
	s.writes++
	if s.before != nil {
		s.before(s.writes)
	}
	if len(s.fails) > 0 {
		err := s.fails[0]
		s.fails = s.fails[1:]
		return nil, err
	}
	stored, err := s.update(next)
	if s.after != nil && err == nil {
		s.after(s.writes)
	}
	return stored, err
}

func (s *store) update(next *v1beta1.NodeProfile) (*v1beta1.NodeProfile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	resource := v1beta1.Resource("nodeprofiles")
	switch {
	case s.stored == nil:
		return nil, apierrors.NewNotFound(resource, "n.p")
	case next.ResourceVersion != s.stored.ResourceVersion || next.UID != s.stored.UID:
		return nil, apierrors.NewConflict(resource, "n.p", fmt.Errorf("it is %s", s.stored.ResourceVersion))
	}
	s.stored = next.DeepCopy()
	version, _ := strconv.Atoi(next.ResourceVersion)
	s.stored.ResourceVersion = strconv.Itoa(version + 1)
	return s.stored.DeepCopy(), nil
}

// change is a write of somebody else.
func (s *store) change(t *testing.T, change func(*v1beta1.NodeProfile)) {
	t.Helper()
	next, err := s.Get(t.Context(), "", metav1.GetOptions{})
	if err == nil {
		change(next)
		_, err = s.update(next)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// post is the other side: it knows what has arrived.
type post struct {
	mu sync.Mutex
	// arrived has the ids of what has arrived, and again those that were sent with Again.
	arrived, again []string
	// answers are the errors of the next tries. A message arrives if there is none, or one with the class Maybe.
	answers []error
	// sending is called while a message is under way.
	sending func(message outbox.Message)
}

func (p *post) Send(_ context.Context, message outbox.Message) (outbox.Receipt, error) {
	if p.sending != nil {
		p.sending(message)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if message.Again {
		p.again = append(p.again, message.ID)
	}
	var err error
	if len(p.answers) > 0 {
		err, p.answers = p.answers[0], p.answers[1:]
	}
	if err == nil || sendError(err).Class == outbox.Maybe {
		p.arrived = append(p.arrived, message.ID)
	}
	return outbox.Receipt{Reference: "r-" + message.ID}, err
}

// world is a server that stores, another side, and the leader between them.
type world struct {
	*term
	t     *testing.T
	store *store
	post  *post
	clock *testingclock.FakeClock
}

func newWorld(t *testing.T, notifications ...v1beta1.NotificationStatus) *world {
	nodeProfile := &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "n.p", UID: types.UID("u-1"), ResourceVersion: "1"},
		Spec:       v1beta1.NodeProfileSpec{NodeName: "n", Profile: "p"},
		Status:     v1beta1.NodeProfileStatus{Notifications: notifications},
	}
	w := &world{
		t: t, store: &store{stored: nodeProfile}, post: &post{}, clock: testingclock.NewFakeClock(start),
	}
	w.lead()
	return w
}

// lead begins a new term, which knows nothing of the one before.
func (w *world) lead() {
	w.term = New(Config{
		Client: w.store, Clock: w.clock, Senders: outbox.Kinds{v1beta1.NotifierMail: w.post, v1beta1.NotifierSlack: w.post},
	}).newTerm()
	w.t.Cleanup(w.queue.ShutDown)
}

// deliver has the leader look once. It says whether the process has died.
func (w *world) look() (again time.Time, isDead bool) {
	w.t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if r != died {
				panic(r)
			}
			isDead = true
		}
	}()
	current, err := w.store.Get(w.t.Context(), "", metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, at := range keysOf(current) {
		next, err := w.deliverAll(w.t.Context(), current, at.endpoint)
		if err != nil {
			w.t.Fatal(err)
		}
		again = due.Earlier(again, next)
	}
	return again, false
}

// untilDone has the leader look until nothing is to be sent, whenever it wants to.
func (w *world) untilDone() {
	w.t.Helper()
	for range 100 {
		again, isDead := w.look()
		switch {
		case isDead:
			w.lead()
			w.clock.Step(lostAfter)
		case again.IsZero():
			return
		default:
			w.clock.SetTime(again)
		}
	}
	w.t.Fatal("it does not end")
}

func (w *world) only() v1beta1.NotificationStatus { return w.store.stored.Status.Notifications[0] }

// note is a notification by mail.
func note(id string, delivery v1beta1.NotifierDelivery) v1beta1.NotificationStatus {
	return v1beta1.NotificationStatus{
		ID: id, Notifier: "mail", Occasion: "1", State: v1beta1.NotificationPending, Time: metav1.NewTime(start),
		Target: v1beta1.NotificationTarget{Kind: v1beta1.NotifierMail, Endpoint: "e", Delivery: delivery},
		Texts:  &v1beta1.NotificationTexts{Title: "t", Message: "m"},
	}
}

func failing(class outbox.Class, reason string) error {
	return &outbox.SendError{Class: class, Reason: reason}
}
