// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

const (
	atLeastOnce = v1beta1.DeliveryAtLeastOnce
	atMostOnce  = v1beta1.DeliveryAtMostOnce
)

// TestCrash has the process die before and after each write, with each answer of the other side, and a new leader go on.
func TestCrash(t *testing.T) {
	answers := map[string][]error{
		"sent":             nil,
		"later":            {failing(outbox.Temporary, "busy")},
		"an answer lost":   {failing(outbox.Maybe, "no answer")},
		"refused":          {failing(outbox.Permanent, "no")},
		"later, then lost": {failing(outbox.Temporary, "busy"), failing(outbox.Maybe, "no answer")},
	}
	for name, answer := range answers {
		for _, delivery := range []v1beta1.NotifierDelivery{atLeastOnce, atMostOnce} {
			for write := 1; write <= 6; write++ {
				for _, written := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/write %d/written %t", name, delivery, write, written), func(t *testing.T) {
						w := newWorld(t, note("a", delivery))
						w.post.answers = slices.Clone(answer)
						die := func(n int) {
							if n == write {
								panic(died)
							}
						}
						if written {
							w.store.after = die
						} else {
							w.store.before = die
						}
						w.untilDone()
						checkDelivery(t, w, delivery, name == "refused")
					})
				}
			}
		}
	}
}

// checkDelivery checks what must be true whatever has happened.
func checkDelivery(t *testing.T, w *world, delivery v1beta1.NotifierDelivery, refuses bool) {
	t.Helper()
	got, arrived := w.only(), len(w.post.arrived)
	switch {
	case outbox.Unsent(&got):
		t.Errorf("it is still %s", got.State)
	case delivery == atMostOnce && arrived > 1:
		t.Errorf("it arrived %d times", arrived)
	case delivery == atLeastOnce && !refuses && (arrived == 0 || got.State != v1beta1.NotificationSent):
		t.Errorf("it arrived %d times, and is %s", arrived, got.State)
	case arrived > 1 && len(w.post.again) == 0:
		t.Errorf("it was sent %d times, and the sender was not told", arrived)
	case arrived == 0 && got.State == v1beta1.NotificationSent:
		t.Error("it is Sent, and did not arrive")
	case arrived > 0 && got.State == v1beta1.NotificationFailed && !refuses:
		t.Error("it is Failed, and has arrived")
	}
	if got.Texts != nil || got.Hash == "" || got.NextTime != nil {
		t.Errorf("%+v", got)
	}
}

func TestSent(t *testing.T) {
	w := newWorld(t, note("a", atLeastOnce))
	w.post.sending = func(got outbox.Message) {
		stored := w.only()
		if stored.State != v1beta1.NotificationSending || stored.Attempts != 1 ||
			!stored.NextTime.Time.Equal(start.Add(lostAfter)) {
			t.Errorf("it is sent before that is recorded: %+v", stored)
		}
		want := outbox.Message{
			ID: "a", Node: "n", Profile: "p", Notifier: "mail", Occasion: "1", Time: start,
			Target: stored.Target, Texts: *stored.Texts,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if again, _ := w.look(); !again.IsZero() {
		t.Errorf("comes back at %v", again)
	}
	want := note("a", atLeastOnce)
	want.State, want.Attempts, want.Texts = v1beta1.NotificationSent, 1, nil
	want.Receipt, want.SentTime = "r-a", ptr.To(metav1.NewTime(start))
	want.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte("t\nm")))
	got := w.only()
	if diff := cmp.Diff(want, got); diff != "" || w.store.writes != 2 {
		t.Errorf("%d writes, -want +got:\n%s", w.store.writes, diff)
	}
}

// TestTries has the other side give answers, and looks at when it is tried again and how it ends.
func TestTries(t *testing.T) {
	busy, lost := failing(outbox.Temporary, "busy"), failing(outbox.Maybe, "no answer")
	slow := &outbox.SendError{Class: outbox.Temporary, Reason: "slow down", RetryAfter: 20 * time.Minute}
	const anHour = "0 5 15 35 75 155 315 635 1275 2175 3075 3975"
	many := func(err error) []error { return slices.Repeat([]error{err}, 50) }
	tests := map[string]struct {
		delivery v1beta1.NotifierDelivery
		answers  []error
		want     v1beta1.NotificationState
		message  string
		tries    string // seconds since the beginning
	}{
		"sent":             {answers: nil, want: "Sent", tries: "0"},
		"busy at first":    {answers: []error{busy, busy, busy}, want: "Sent", tries: "0 5 15 35"},
		"busy for an hour": {answers: many(busy), want: "Failed", message: "busy", tries: anHour},
		"slow down":        {answers: []error{slow}, want: "Sent", tries: "0 1200"},
		"refused":          {answers: []error{failing(outbox.Permanent, "no")}, want: "Failed", message: "no", tries: "0"},
		"an answer lost":   {answers: []error{lost}, want: "Sent", tries: "0 5"},
		"answers lost":     {answers: many(lost), want: "Unknown", message: "no answer", tries: anHour},
		"lost, then busy":  {answers: append([]error{lost}, many(busy)...), want: "Unknown", message: "busy", tries: anHour},
		"lost, then refused": {
			answers: []error{lost, failing(outbox.Permanent, "twice")}, want: "Unknown", message: "twice", tries: "0 5",
		},
		"at most once, lost": {delivery: atMostOnce, answers: []error{lost}, want: "Unknown", message: "no answer", tries: "0"},
		"at most once, busy": {delivery: atMostOnce, answers: []error{busy, busy}, want: "Sent", tries: "0 5 15"},
		"an error of other kind": {
			delivery: atMostOnce, answers: []error{errors.New("https://u:p@x")}, want: "Unknown",
			message: "the sender failed, and does not know whether it was sent", tries: "0",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.delivery == "" {
				test.delivery = atLeastOnce
			}
			w := newWorld(t, note("a", test.delivery))
			w.post.answers = test.answers
			tries := []string{}
			w.post.sending = func(outbox.Message) { tries = append(tries, fmt.Sprint(w.clock.Since(start).Seconds())) }
			w.untilDone()
			got := w.only()
			if got.State != test.want || got.Message != test.message || int(got.Attempts) != len(tries) {
				t.Errorf("%s %q after %d, want %s %q", got.State, got.Message, got.Attempts, test.want, test.message)
			}
			if diff := cmp.Diff(test.tries, strings.Join(tries, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOthersWriteToo(t *testing.T) {
	w := newWorld(t, note("a", atLeastOnce))
	state := func(s v1beta1.ProfileState) func(*v1beta1.NodeProfile) {
		return func(np *v1beta1.NodeProfile) { np.Status.State = s }
	}
	w.store.before = func(write int) {
		if write == 1 {
			w.store.change(t, state(v1beta1.ProfileMaintenanceRequired))
		}
	}
	w.post.sending = func(outbox.Message) {
		w.store.change(t, func(np *v1beta1.NodeProfile) {
			np.Status.State = v1beta1.ProfileInMaintenance
			np.Status.Notifications = append(np.Status.Notifications, note("b", atLeastOnce))
		})
		w.post.sending = nil
	}
	w.untilDone()
	stored := w.store.stored.Status
	if stored.State != v1beta1.ProfileInMaintenance || !slices.Equal(w.post.arrived, []string{"a", "b"}) {
		t.Errorf("the state is %s, and %v arrived", stored.State, w.post.arrived)
	}
	for _, n := range stored.Notifications {
		if n.State != v1beta1.NotificationSent {
			t.Errorf("%s is %s", n.ID, n.State)
		}
	}
}

// TestTwoLeaders has a second leader look while the first one sends.
func TestTwoLeaders(t *testing.T) {
	for _, delivery := range []v1beta1.NotifierDelivery{atLeastOnce, atMostOnce} {
		t.Run(string(delivery), func(t *testing.T) {
			w := newWorld(t, note("a", delivery))
			stale := w.store.stored.DeepCopy()
			other := New(Config{Client: w.store, Clock: w.clock, Senders: w.Senders}).newTerm()
			w.post.sending = func(outbox.Message) {
				w.post.sending = nil
				for _, seen := range []*v1beta1.NodeProfile{stale, w.store.stored.DeepCopy()} {
					if _, err := other.deliverAll(t.Context(), seen, "e"); err != nil {
						t.Error(err)
					}
				}
			}
			w.untilDone()
			if len(w.post.arrived) != 1 || w.only().State != v1beta1.NotificationSent {
				t.Errorf("it arrived %d times, and is %s", len(w.post.arrived), w.only().State)
			}
		})
	}
}

// TestALateAnswer has the first leader's answer come when the second one has gone on.
func TestALateAnswer(t *testing.T) {
	w := newWorld(t, note("a", atMostOnce))
	other := New(Config{Client: w.store, Clock: w.clock, Senders: w.Senders}).newTerm()
	w.post.sending = func(outbox.Message) {
		w.clock.Step(lostAfter)
		if _, err := other.deliverAll(t.Context(), w.store.stored.DeepCopy(), "e"); err != nil {
			t.Error(err)
		}
	}
	w.untilDone()
	got := w.only()
	if got.State != v1beta1.NotificationUnknown || got.Message != "the server stopped while it was being sent" {
		t.Errorf("%s %q", got.State, got.Message)
	}
}

func TestAWriteThatFailsIsTriedAgain(t *testing.T) {
	w := newWorld(t, note("a", atMostOnce))
	sent, done := make(chan struct{}), make(chan struct{})
	w.post.sending = func(outbox.Message) {
		w.store.fails = []error{errors.New("down"), errors.New("down")}
		close(sent)
	}
	go func() { defer close(done); w.untilDone() }()
	<-sent // else time would go by between the record and the sending
	for {
		select {
		case <-done:
			if len(w.post.arrived) != 1 || w.only().State != v1beta1.NotificationSent {
				t.Errorf("it arrived %d times, and is %s", len(w.post.arrived), w.only().State)
			}
			return
		default:
			if w.clock.HasWaiters() {
				w.clock.Step(time.Second)
			}
		}
	}
}

func TestGoneMeanwhile(t *testing.T) {
	w := newWorld(t, note("a", atLeastOnce))
	w.post.sending = func(outbox.Message) { w.store.stored = nil }
	current := w.store.stored.DeepCopy()
	if again, err := w.deliverAll(t.Context(), current, "e"); err != nil || !again.IsZero() {
		t.Errorf("%v, error %v", again, err)
	}
	if again, err := w.deliverAll(t.Context(), current, "e"); err != nil || !again.IsZero() || len(w.post.arrived) != 1 {
		t.Errorf("%v, error %v, %d arrived", again, err, len(w.post.arrived))
	}
}

func TestAnUnknownKindFails(t *testing.T) {
	strange := note("a", atLeastOnce)
	strange.Target.Kind = "pigeon"
	w := newWorld(t, strange)
	w.untilDone()
	const want = `this version cannot send notifications of the kind "pigeon"`
	if got := w.only(); got.State != v1beta1.NotificationFailed || got.Message != want {
		t.Errorf("%s %q", got.State, got.Message)
	}
}

func TestASlowEndpointHoldsUpNoOther(t *testing.T) {
	slow, other := note("a", atLeastOnce), note("b", atLeastOnce)
	other.Target.Endpoint = "other"
	third := note("c", atLeastOnce)
	w := newWorld(t, slow, other, third)
	w.post.answers = []error{&outbox.SendError{Class: outbox.Temporary, Reason: "slow down", RetryAfter: time.Minute}}
	again, _ := w.look()
	if !slices.Equal(w.post.arrived, []string{"b"}) || !again.Equal(start.Add(time.Minute)) {
		t.Errorf("%v arrived, comes back at %v", w.post.arrived, again)
	}
	w.untilDone()
	if !slices.Equal(w.post.arrived, []string{"b", "a", "c"}) {
		t.Errorf("%v arrived", w.post.arrived)
	}
}
