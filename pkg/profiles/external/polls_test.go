// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// value is a server of Prometheus whose answer is a number that changes.
func value(n *atomic.Int64) http.HandlerFunc {
	return func(out http.ResponseWriter, in *http.Request) { says(200, vector(fmt.Sprint(n.Load())))(out, in) }
}

func TestOnePollForAllNodes(t *testing.T) {
	var n atomic.Int64
	inBubble(t, value(&n), func(w *world) {
		const nodes = 500
		all := make([]evaluation.Facts, nodes)
		for i := range all {
			all[i] = factsOf(fmt.Sprint("n", i), prometheusCheck("up", "value < 10"))
			w.asker.Want(all[i], []string{"c"})
		}
		wantWoken := func(want int) {
			w.Helper()
			for i := range all {
				w.wantWoken(fmt.Sprintf("n%d.p", i), want)
			}
		}
		w.wantCalls(1)
		wantWoken(1)
		wantAnswer(w.T, w.known(all[499]), evaluation.True, "the value is 0")

		n.Store(9)
		w.sleep(40 * time.Second)
		w.wantCalls(1)
		wantWoken(0) // the number alone has changed
		wantAnswer(w.T, w.known(all[0]), evaluation.True, "the value is 9")

		n.Store(10)
		w.sleep(30 * time.Second)
		w.wantCalls(1)
		wantWoken(1)
		wantAnswer(w.T, w.known(all[7]), evaluation.False, "the value is 10")
	})
}

func TestOnePollForEachNodeThatIsNamed(t *testing.T) {
	inBubble(t, says(200, "{}"), func(w *world) {
		for _, node := range []string{"a", "b"} {
			w.want(factsOf(node, httpCheck("/of?node=$(nodeName)", "response.status == 200")))
		}
		calls := w.called()
		if len(calls) != 2 || calls[0].what == calls[1].what {
			t.Fatalf("calls %v, want one for each node", calls)
		}
		for _, got := range calls {
			if want := "/" + secret + "/of?node="; got.what != want+"a" && got.what != want+"b" {
				t.Errorf("%q was called, want %q with a node", got.what, want)
			}
		}
	})
}

func TestNothingIsPolledThatNobodyWants(t *testing.T) {
	inBubble(t, says(200, vector("1")), func(w *world) {
		facts := factsOf("n1", prometheusCheck("up", "value == 1"), httpCheck("/x", "response.status == 200"))
		w.asker.Answers(facts)
		w.asker.Want(facts, nil)
		w.asker.Want(facts, []string{"podAffinity"})
		w.sleep(time.Hour)
		w.wantCalls(0)

		w.asker.Want(facts, []string{"c"})
		w.sleep(time.Hour)
		if got := len(w.called()); got < 100 || got > 140 {
			t.Errorf("%d calls in an hour, want some 120", got)
		}
		w.asker.Forget("n1.p")
		w.sleep(time.Hour)
		w.wantCalls(0)
		if len(w.asker.polls.known) > 0 || len(w.asker.wanted) > 0 {
			t.Error("what nobody wants is not forgotten")
		}
	})
}

// A check that is wanted by turns, each second, is not asked each second.
func TestWantedByTurns(t *testing.T) {
	inBubble(t, says(200, vector("1")), func(w *world) {
		facts := factsOf("n1", prometheusCheck("up", "value == 1"))
		for range 60 {
			w.want(facts)
			w.sleep(time.Second)
			w.asker.Forget("n1.p")
		}
		if got := len(w.called()); got < 2 || got > 3 {
			t.Errorf("%d calls in a minute, want 2 or 3", got)
		}
	})
}

func TestTheShortestIntervalCounts(t *testing.T) {
	inBubble(t, says(200, vector("1")), func(w *world) {
		seldom, often := prometheusCheck("up", "value == 1"), prometheusCheck("up", "value == 1")
		seldom.Prometheus.IntervalSeconds, often.Prometheus.IntervalSeconds = new(int64(3600)), new(int64(10))
		w.want(factsOf("a", seldom))
		w.sleep(50 * time.Minute)
		w.wantCalls(1)
		w.want(factsOf("b", often))
		w.wantCalls(1) // the answer is older than 10 seconds
		w.sleep(100 * time.Second)
		calls := w.called()
		for i := 1; i < len(calls); i++ {
			if pause := calls[i].at.Sub(calls[i-1].at); pause < 9*time.Second || pause > 11*time.Second {
				t.Errorf("a call %s after the one before, want from 9 to 11 seconds", pause)
			}
		}
		w.asker.Forget("b.p")
		w.sleep(time.Minute)
		w.called()
		w.sleep(30 * time.Minute)
		w.wantCalls(0)
	})
}

func TestFailuresAreAskedAgainLater(t *testing.T) {
	var healthy atomic.Bool
	answer := func(out http.ResponseWriter, in *http.Request) {
		if !healthy.Load() {
			panic(http.ErrAbortHandler)
		}
		says(200, vector("1"))(out, in)
	}
	inBubble(t, answer, func(w *world) {
		facts := w.want(factsOf("n1", prometheusCheck("up", "value == 1")))
		w.sleep(10 * time.Minute)
		wantAnswer(t, w.known(facts), evaluation.Error, "endpoint prometheus: ")
		w.wantWoken("n1.p", 1)
		calls := w.called()
		for i, want := range []time.Duration{5, 10, 20, 40, 80, 120, 120} {
			want *= time.Second
			if pause := calls[i+1].at.Sub(calls[i].at); pause < want*9/10 || pause > want*11/10 {
				t.Errorf("call %d came %s after the one before, want %s, more or less by a tenth", i+1, pause, want)
			}
		}
		healthy.Store(true)
		w.sleep(140 * time.Second)
		wantAnswer(t, w.known(facts), evaluation.True, "")
		w.wantWoken("n1.p", 1)
	})
}

// An answer that is too old is none, and the engine learns of that.
func TestAnswersGrowOld(t *testing.T) {
	inBubble(t, says(200, vector("1")), func(w *world) {
		facts := w.want(factsOf("n1", prometheusCheck("up", "value == 1")))
		w.wantWoken("n1.p", 1)
		w.mu.Lock()
		w.waits["prometheus"] = time.Hour // the endpoint may not be called more often
		w.mu.Unlock()
		w.sleep(2*time.Minute - time.Second)
		wantAnswer(t, w.known(facts), evaluation.True, "")
		w.wantWoken("n1.p", 0)
		w.sleep(2 * time.Second)
		if answer, known := w.asker.Answers(facts)["c"]; known {
			t.Errorf("an answer after two intervals and a minute: %v, want none", answer)
		}
		w.wantWoken("n1.p", 1)
		w.sleep(time.Hour)
		wantAnswer(t, w.known(facts), evaluation.True, "")
		w.wantWoken("n1.p", 1)
	})
}

// The answer to a check of the same name that was another one does not count.
func TestEditedChecks(t *testing.T) {
	inBubble(t, says(200, vector("5")), func(w *world) {
		before := w.want(factsOf("n1", prometheusCheck("up", "value < 10")))
		w.sleep(time.Second)
		wantAnswer(t, w.known(before), evaluation.True, "")
		w.called()
		for _, after := range []evaluation.Facts{
			factsOf("n1", prometheusCheck("down", "value < 10")), factsOf("n1", prometheusCheck("up", "value > 10")),
		} {
			if answers := w.asker.Answers(after); len(answers) > 0 {
				t.Errorf("answers %v for a new check, want none", answers)
			}
		}
		after := w.want(factsOf("n1", prometheusCheck("up", "value > 10")))
		w.wantCalls(1) // at once: answers are not kept
		wantAnswer(t, w.known(after), evaluation.False, "")
	})
}

// Who joins a question is told of the answer only if it does not know it.
func TestAnswersThatAreKnownAlready(t *testing.T) {
	inBubble(t, says(200, vector("1")), func(w *world) {
		check := prometheusCheck("up", "value == 1")
		w.want(factsOf("a", check))
		w.wantWoken("a.p", 1)
		w.want(factsOf("b", check))
		w.wantWoken("b.p", 0)
		w.asker.Want(factsOf("c", check), []string{"c"})
		w.wantWoken("c.p", 1)
		w.wantCalls(1)
	})
}

// An engine that does not say what it knows is not woken again and again.
func TestWhatTheEngineKnowsIsResumed(t *testing.T) {
	var n atomic.Int64
	inBubble(t, value(&n), func(w *world) {
		want := func(expression string) {
			w.asker.Want(factsOf("n1", prometheusCheck("up", expression)), []string{"c"})
		}
		want("value < 5")
		w.wantWoken("n1.p", 1)
		want("value < 5")
		w.wantWoken("n1.p", 0)
		n.Store(5)
		w.sleep(40 * time.Second)
		w.wantWoken("n1.p", 1)
		want("value < 5")
		w.wantWoken("n1.p", 0)
		want("value < 6")
		w.wantWoken("n1.p", 1)
	})
}

func TestSlowEndpointsDelayNoOther(t *testing.T) {
	var under atomic.Int64
	answer := func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/"+secret+"/fast" {
			says(200, "")(out, in)
			return
		}
		under.Add(1)
		defer under.Add(-1)
		<-in.Context().Done()
	}
	inBubble(t, answer, func(w *world) {
		for i := range 50 {
			check := httpCheck("/slow/$(nodeName)", "true")
			check.HTTP.Endpoint = "http-slow"
			w.want(factsOf(fmt.Sprint("n", i), check))
		}
		facts := w.want(factsOf("n1", httpCheck("/fast", "response.status == 200")))
		synctest.Wait()
		wantAnswer(t, w.known(facts), evaluation.True, "")
		if got := under.Load(); got != perEndpoint {
			t.Errorf("%d calls of an endpoint at a time, want %d", got, perEndpoint)
		}
	})
}

// Run ends while a server answers nothing, an endpoint has to wait, and resources are watched.
func TestStop(t *testing.T) {
	answer := func(_ http.ResponseWriter, in *http.Request) { <-in.Context().Done() }
	inBubble(t, answer, func(w *world) {
		limited := httpCheck("/x", "true")
		limited.HTTP.Endpoint = "http-limited"
		w.waits["http-limited"] = time.Hour
		w.want(factsOf("n1", prometheusCheck("up", "value == 1"), httpCheck("/x", "true"), limited, hypervisorCheck("true")))
		synctest.Wait()
		began := time.Now()
		w.stop()
		if took := time.Since(began); took != endingTakes {
			t.Errorf("it took %s to stop, want %s, as the slowest call", took, endingTakes)
		}
		w.wantWoken("n1.p", 1) // the hypervisor
	})
}

func TestEndpointsThatCannotBeUsed(t *testing.T) {
	tests := map[string]struct {
		endpoint    string
		wantMessage string
	}{
		"no such endpoint": {endpoint: "gone", wantMessage: "endpoint gone: there is no such endpoint"},
		"another kind":     {endpoint: "webhook", wantMessage: "endpoint webhook: the check needs an endpoint with http or keystone, and this one has webhook"},
		"Prometheus' kind": {endpoint: "prometheus", wantMessage: "and this one has prometheus"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, says(200, ""), func(w *world) {
				check := httpCheck("/x", "true")
				check.HTTP.Endpoint = test.endpoint
				wantAnswer(t, w.answer(check), evaluation.Error, test.wantMessage)
				w.wantCalls(0)
			})
		})
	}
}
