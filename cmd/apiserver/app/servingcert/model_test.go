// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clienttesting "k8s.io/client-go/testing"
)

var (
	modelRuns = flag.Int("model.runs", 5, "how many random lives of a CA TestModel plays")
	modelSeed = flag.Uint64("model.seed", 0, "play only this one")
)

const (
	modelSteps = 60
	// lag is how much an aggregator may lag in the model.
	lag = settleTime / 3
	// cutOff is how long a replica may not reach the cluster, in the model.
	cutOff = 48 * time.Hour
)

var errCrash = errors.New("the replica crashed")

// model plays a CA's life with replicas that crash between any two requests, and that overtake each other there. All
// the time, every aggregator trusts every replica.
type model struct {
	*cluster
	random   *rand.Rand
	replicas []*replica
	// bundles are what the aggregators may know, with until when.
	bundles map[string][]known
	history []string
}

type known struct {
	bundle []byte
	until  time.Time // zero: still
}

type replica struct {
	number int
	keeper *Keeper // nil while it does not run
	// live says that it serves requests.
	live            bool
	started, synced time.Time
}

func TestModel(t *testing.T) {
	if *modelSeed != 0 {
		play(t, *modelSeed)
		return
	}
	for seed := range uint64(*modelRuns) {
		if !t.Run(fmt.Sprint(seed+1), func(t *testing.T) { play(t, seed+1) }) {
			t.Fatalf("to repeat it: go test ./cmd/apiserver/app/servingcert -run 'TestModel$' -model.seed=%d", seed+1)
		}
	}
}

func play(t *testing.T, seed uint64) {
	m := &model{cluster: newCluster(t), random: rand.New(rand.NewPCG(seed, 0)), bundles: map[string][]known{}}
	m.written = m.note
	m.put(apiService(ownName))
	m.put(apiService(furtherName))
	for i := range 3 {
		m.replicas = append(m.replicas, &replica{number: i})
	}
	m.start(m.replicas[0])
	m.forget()
	for range modelSteps {
		m.step()
		if m.check(); t.Failed() {
			t.Fatalf("after:\n%s", m.history)
		}
	}
	m.calm()
	if s := m.state(); s.current == nil || s.next != nil {
		t.Errorf("in the end, the Secret is not in order (%v), after:\n%s", s.damage, m.history)
	}
	m.wantTrusted(m.keepers()...)
}

func (m *model) step() {
	r := m.replicas[m.random.IntN(len(m.replicas))]
	actions := []struct {
		name  string
		often int
		do    func()
	}{
		{"crash", 2, func() { m.crash(r) }},
		{"overtaken", 4, func() { m.overtaken(r) }},
		{"sync", 4, func() { m.sync(r) }},
		{"seconds", 4, func() { m.pass(time.Duration(m.random.IntN(40)) * time.Second) }},
		{"hours", 2, func() { m.pass(time.Duration(m.random.IntN(40)) * time.Hour) }},
		{"days", 1, func() { m.days() }},
		{"months", 1, func() { m.months() }},
		{"key removed", 1, func() { m.secret.Data[corev1.TLSPrivateKeyKey] = nil }},
		{"garbage", 1, func() { m.garble() }},
		{"bundle lost", 1, func() { m.loseBundle() }},
		{"deleted", 1, func() { m.deleted() }},
	}
	var lots []int
	for i, action := range actions {
		lots = append(lots, slices.Repeat([]int{i}, action.often)...)
	}
	action := actions[lots[m.random.IntN(len(lots))]]
	m.history = append(m.history, fmt.Sprintf("%s %s of %d\n", m.clock.Now().Format(time.DateTime), action.name, r.number))
	action.do()
}

// start has a replica begin to serve, if it can.
func (m *model) start(r *replica) {
	k := m.keeper(r.number)
	if k.Prepare(m.t.Context()) != nil {
		return
	}
	r.keeper, r.live, r.started = k, false, m.clock.Now()
	m.sync(r)
}

// sync has a replica look at the cluster. When this has succeeded, some time after its start, it is ready.
func (m *model) sync(r *replica) {
	if r.keeper == nil {
		m.start(r)
		return
	}
	if _, err := r.keeper.sync(m.t.Context()); err == nil {
		r.live, r.synced = m.clock.Since(r.started) > lag, m.clock.Now()
	}
	m.check()
}

// crash ends a replica at one of its requests, before or after the cluster has done it.
func (m *model) crash(r *replica) {
	m.atRequest(r, func(action clienttesting.Action) error {
		if m.random.IntN(2) == 0 {
			m.doOnce(action)
		}
		return errCrash
	})
	r.keeper, r.live = nil, false
}

func (m *model) doOnce(action clienttesting.Action) {
	answer := m.answerAPIService
	if action.GetResource().Resource == "secrets" {
		answer = m.answerSecret
	}
	// Whatever the answer is, nobody gets it.
	_, _ = answer(action)
}

// overtaken has another replica look at the cluster, and act, at one of the requests of the first.
func (m *model) overtaken(r *replica) {
	other := m.replicas[(r.number+1)%len(m.replicas)]
	m.atRequest(r, func(clienttesting.Action) error {
		m.sync(other)
		return nil
	})
}

// atRequest has something happen once, before a random request of the replica's next look.
func (m *model) atRequest(r *replica, happen func(clienttesting.Action) error) {
	left := m.random.IntN(7)
	m.before = func(number int, action clienttesting.Action) error {
		if number != r.number {
			return nil
		}
		if left--; left == -1 {
			return happen(action)
		}
		return nil
	}
	m.sync(r)
	m.before = func(int, clienttesting.Action) error { return nil }
}

// pass lets time go by. Some replicas notice.
func (m *model) pass(duration time.Duration) {
	for end := m.clock.Now().Add(duration); m.clock.Now().Before(end); {
		m.clock.Step(min(end.Sub(m.clock.Now()), 12*time.Hour))
		for _, r := range m.replicas {
			late := m.clock.Since(r.synced) > cutOff
			if r.keeper != nil && (late || m.random.IntN(4) > 0) {
				m.sync(r)
			}
		}
	}
}

// days pass, in which nobody renews anything too late.
func (m *model) days() {
	for range 1 + m.random.IntN(8) {
		m.clock.Step(30 * time.Hour)
		m.calm()
	}
}

// months pass in which no replica runs well, until the CA is due.
func (m *model) months() {
	m.distrusted(func() {
		if s := m.state(); s.current != nil && !s.due(m.clock.Now()) {
			m.clock.SetTime(dueAt(s.current.cert))
		}
	})
}

// calm has all replicas notice everything.
func (m *model) calm() {
	for range 5 {
		m.settle(m.keepers()...)
		m.check()
		m.clock.Step(settleTime)
	}
	for _, r := range m.replicas {
		r.synced = m.clock.Now()
	}
}

func (m *model) keepers() []*Keeper {
	var all []*Keeper
	for _, r := range m.replicas {
		if r.keeper != nil {
			all = append(all, r.keeper)
		}
	}
	return all
}

// garble damages one thing in the Secret, or everything.
func (m *model) garble() {
	keys := []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey, bundleKey, nextCertKey, nextKeyKey}
	if i := m.random.IntN(len(keys) + 1); i < len(keys) {
		keys = keys[i : i+1]
	}
	for _, key := range keys {
		m.secret.Data[key] = []byte("garbage")
	}
	m.secret.ResourceVersion = m.nextVersion()
}

// loseBundle has somebody change a caBundle. Until a replica has noticed, nobody is trusted there.
func (m *model) loseBundle() { m.distrusted(func() { m.setBundle(ownName, []byte("garbage")) }) }

// deleted has an admin delete the Secret. Until all replicas have noticed, some are not trusted.
func (m *model) deleted() { m.distrusted(func() { m.secret = nil }) }

// distrusted has something happen that must cost trust, until all replicas have noticed.
func (m *model) distrusted(happen func()) {
	for _, r := range m.replicas {
		r.live = false
	}
	happen()
	if len(m.keepers()) == 0 {
		m.start(m.replicas[0])
	}
	m.settle(m.keepers()...)
	m.forget()
}

// forget has the aggregators know nothing but the present.
func (m *model) forget() {
	clear(m.bundles)
	m.note(ownName)
	m.note(furtherName)
}

// note notes what an aggregator knows from now on, and may still know for a while.
func (m *model) note(name string) {
	all := m.bundles[name]
	if len(all) > 0 {
		all[len(all)-1].until = m.clock.Now().Add(lag)
	}
	m.bundles[name] = append(all, known{bundle: m.apiServices[name].Spec.CABundle})
	m.check()
}

// check checks that every replica that serves is trusted by every aggregator, however it lags.
func (m *model) check() {
	for name, all := range m.bundles {
		all = slices.DeleteFunc(all, func(k known) bool { return !k.until.IsZero() && k.until.Before(m.clock.Now()) })
		m.bundles[name] = all
		for _, r := range m.replicas {
			for i := 0; r.live && i < len(all); i++ {
				if err := m.trusts(all[i].bundle, r.keeper); err != nil {
					m.t.Errorf("APIService %s does not trust replica %d (bundle %d of %d): %v", name, r.number, i+1, len(all), err)
					return
				}
			}
		}
	}
}
