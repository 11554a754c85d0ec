// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// silent is another side whose endpoint "dead" takes calls and does not answer.
type silent struct {
	mu        sync.Mutex
	now, most int
	answered  chan string
}

func (s *silent) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	if message.Target.Endpoint != "dead" {
		s.answered <- message.ID
		return outbox.Receipt{}, nil
	}
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	return outbox.Receipt{}, ctx.Err()
}

// TestADeadEndpointHoldsUpNoOther has 40 NodeProfiles tell 40 channels of a server that does not answer, and then one of a
// server that does.
func TestADeadEndpointHoldsUpNoOther(t *testing.T) {
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	nodeProfiles, api := factory.Maintenance().V1beta1().NodeProfiles(), client.MaintenanceV1beta1().NodeProfiles()
	const count = 40
	for i := range count {
		dead, alive := note(fmt.Sprint("dead", i), atLeastOnce), note(fmt.Sprint("alive", i), atLeastOnce)
		dead.Target.Endpoint, dead.Target.Channel = "dead", fmt.Sprint("#", i)
		alive.Target.Endpoint = "alive"
		np := &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), UID: types.UID(fmt.Sprint(i))}}
		np.Status.Notifications = []v1beta1.NotificationStatus{dead, alive}
		if _, err := api.Create(t.Context(), np, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := &silent{answered: make(chan string, count)}
	worker := New(Config{Client: api, NodeProfiles: nodeProfiles, Senders: outbox.Kinds{v1beta1.NotifierMail: s}})
	ctx, cancel := context.WithCancel(t.Context())
	nodeProfiles.Informer()
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { worker.Run(ctx) })
	for told := range count {
		select {
		case <-s.answered:
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d were told", told, count)
		}
	}
	cancel()
	running.Wait() // the calls that do not end are given up after a moment
	factory.Shutdown()
	if s.now != 0 || s.most > atOnceTo {
		t.Errorf("%d calls are left, and %d were made at once, want %d at most", s.now, s.most, atOnceTo)
	}
}

// TestMetrics has an endpoint be busy, panic, and take a message, and another one refuse one.
func TestMetrics(t *testing.T) {
	tries.Reset()
	delay.Reset()
	shown, refuses := note("a", atLeastOnce), note("b", atLeastOnce)
	shown.Target.Endpoint, refuses.Target.Endpoint = "shown", "refuses"
	lost := note("c", atMostOnce)
	lost.Target.Endpoint, lost.State = "lost", v1beta1.NotificationSending
	w := newWorld(t, shown, refuses, lost)
	calls := 0
	w.post.sending = func(message outbox.Message) {
		if message.ID != "a" {
			return
		}
		underWay, err := testutil.GetGaugeMetricValue(sending.WithLabelValues("shown"))
		if err != nil || underWay != 1 {
			t.Errorf("%v are under way, error %v", underWay, err)
		}
		if calls++; calls == 2 {
			panic("an answer that a library cannot bear")
		}
	}
	w.post.answers = []error{failing(outbox.Temporary, "busy"), failing(outbox.Permanent, "no")}
	w.untilDone()
	for _, want := range []struct {
		endpoint, result string
		tries            float64
	}{{"shown", "Again", 2}, {"shown", "Sent", 1}, {"refuses", "Failed", 1}, {"lost", "Unknown", 1}} {
		got, err := testutil.GetCounterMetricValue(tries.WithLabelValues(want.endpoint, want.result))
		if err != nil || got != want.tries {
			t.Errorf("%s %s: %v, error %v, want %v", want.endpoint, want.result, got, err, want.tries)
		}
	}
	late, err := testutil.GetHistogramMetricValue(delay.WithLabelValues("shown"))
	if err != nil || late != 15 {
		t.Errorf("it was sent after %v s, error %v, want 15", late, err)
	}
	if left, _ := testutil.GetGaugeMetricValue(sending.WithLabelValues("shown")); left != 0 {
		t.Errorf("%v are still under way", left)
	}
	if !slices.Equal(w.post.again, []string{"a"}) {
		t.Errorf("%v were sent again, want a: nobody knows whether the try that panicked has reached anybody", w.post.again)
	}
}

// TestAProcessThatStoodStill has the process stand still after it has recorded that it sends, for so long that another one
// may have sent meanwhile.
func TestAProcessThatStoodStill(t *testing.T) {
	w := newWorld(t, note("a", atLeastOnce))
	w.store.after = func(write int) {
		if write == 1 {
			w.clock.Step(lostAfter)
		}
	}
	w.post.sending = func(outbox.Message) {
		if w.clock.Now().Equal(start.Add(lostAfter)) {
			t.Error("it is sent when others take it for lost")
		}
	}
	w.untilDone()
	if len(w.post.arrived) != 1 || w.only().State != v1beta1.NotificationSent {
		t.Errorf("it arrived %d times, and is %s", len(w.post.arrived), w.only().State)
	}
}
