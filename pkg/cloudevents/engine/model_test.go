// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

var (
	modelRuns = flag.Int("model.runs", 8, "how many random runs TestModel makes")
	modelSeed = flag.Uint64("model.seed", 0, "the seed of the only run of TestModel; 0: all")
)

// Random events, nodes, people, machines, faults and crashes, with one leader or two at the same time. Whatever happens: no
// machine is added twice for an event, none is taken away before its node is empty, no node is given back while it is not
// Ready or its machine is being taken away, no hold is made before it was recorded; and when all is well again, every event
// ends, and leaves nothing behind.
func TestModel(t *testing.T) {
	for seed := uint64(1); seed <= uint64(*modelRuns); seed++ {
		if *modelSeed != 0 && seed != *modelSeed {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) {
				(&model{world: w, random: rand.New(rand.NewPCG(seed, 1)), reboots: map[string]time.Time{}}).run()
			})
		})
	}
}

type model struct {
	*world
	random *rand.Rand
	// nodes are those that events may be about, and named are all events.
	nodes, named []string
	// boots counts boots. reboots are when nodes that go are back.
	boots   int
	reboots map[string]time.Time
}

func (m *model) run() {
	m.logs = *modelSeed != 0
	m.slow = time.Duration(m.random.IntN(60)) * time.Second
	for i := range 5 {
		node := m.cloud.worker()
		m.nodes = append(m.nodes, node)
		if i < 2 && m.random.IntN(2) == 0 {
			drainertest.Change(m.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, func(n *corev1.Node) {
				n.Labels["node-role.kubernetes.io/control-plane"] = ""
			})
		}
	}
	m.wait(time.Minute)
	m.restart()
	for range 40 + m.random.IntN(60) {
		m.happen()
		pause := time.Duration(m.random.IntN(20000)) * time.Millisecond
		if m.random.IntN(8) == 0 {
			pause = time.Duration(m.random.IntN(40)) * time.Minute
		}
		m.wait(pause)
		m.finishReboots(false)
		if m.t.Failed() {
			return
		}
	}
	m.end()
}

// happen makes something happen.
func (m *model) happen() {
	switch m.random.IntN(14) {
	case 0, 1, 2:
		m.announce()
	case 3:
		m.person()
	case 4, 5:
		m.restart()
	case 6:
		m.meddle()
	case 7:
		m.reboot()
	case 8:
		m.fault()
	case 9:
		m.Heal()
		m.cloud.fail(false, false)
	case 10:
		m.lag.Store(int64(m.random.IntN(3000)) * int64(time.Millisecond))
	case 11:
		m.cloud.fail(m.random.IntN(3) == 0, m.random.IntN(3) == 0)
	case 12:
		m.closed.Store(m.random.IntN(2) == 0)
	case 13:
		m.vanish()
	}
}

// fail has new machines never become nodes, or the API of machines fail.
func (c *cloud) fail(broken, failing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken, c.failing = broken, failing
}

// announce creates an event.
func (m *model) announce() {
	code := []string{
		v1beta1.CodeInstanceReboot, v1beta1.CodeSystemMaintenance, v1beta1.CodeInstanceStop, v1beta1.CodeInstanceRetirement, "unheard-of",
	}[m.random.IntN(5)]
	name, node := fmt.Sprintf("e-%02d", len(m.named)), m.nodes[m.random.IntN(len(m.nodes))]
	m.named = append(m.named, name)
	m.event(name, code, node, func(event *v1beta1.ScheduledEvent) {
		if m.random.IntN(3) > 0 {
			notBefore(time.Duration(m.random.IntN(240)) * time.Minute)(event)
		}
		if m.random.IntN(3) == 0 {
			event.Spec.NodeName, event.Spec.InstanceID = "", "i-"+node[len("n-"):]
		}
	})
}

// person has somebody change or delete an event.
func (m *model) person() {
	if len(m.named) == 0 {
		return
	}
	name := m.named[m.random.IntN(len(m.named))]
	switch m.random.IntN(4) {
	case 0:
		m.setState(name, v1beta1.EventCanceled)
	case 1:
		m.setState(name, v1beta1.EventCompleted)
	case 2:
		m.change(name, func(event *v1beta1.ScheduledEvent) {
			notBefore(time.Duration(m.random.IntN(240)) * time.Minute)(event)
		})
	case 3:
		if event := m.get(name); event != nil {
			m.Delete(event)
		}
	}
}

// meddle has somebody change or delete a hold.
func (m *model) meddle() {
	var holds []*v1beta1.NodeMaintenance
	m.Locked(func() { holds = drainertest.All[*v1beta1.NodeMaintenance](m.Store) })
	if len(holds) == 0 {
		return
	}
	hold := holds[m.random.IntN(len(holds))]
	if m.random.IntN(3) == 0 {
		m.deleteHold(hold)
		return
	}
	drainertest.Change(m.Server, hold, func(h *v1beta1.NodeMaintenance) {
		if m.random.IntN(2) == 0 {
			h.Spec.Stage = v1beta1.StageIdle
		} else {
			h.Spec.Drain.PodSelector = &metav1.LabelSelector{}
		}
	})
}

// reboot has a machine go, which comes back later.
func (m *model) reboot() {
	node := m.nodes[m.random.IntN(len(m.nodes))]
	if _, goes := m.reboots[node]; goes || drainertest.Get[*corev1.Node](m.Server, "", node) == nil {
		return
	}
	m.ready(node, false, fmt.Sprintf("boot-%d", m.boots))
	m.boots++
	m.reboots[node] = time.Now().Add(time.Duration(m.random.IntN(120)) * time.Second)
}

// finishReboots has machines come back.
func (m *model) finishReboots(all bool) {
	for node, at := range m.reboots {
		if !all && time.Now().Before(at) {
			continue
		}
		delete(m.reboots, node)
		if drainertest.Get[*corev1.Node](m.Server, "", node) != nil {
			m.boots++
			m.ready(node, true, fmt.Sprintf("boot-%d", m.boots))
		}
	}
}

// vanish has a machine be deleted by somebody.
func (m *model) vanish() {
	if m.random.IntN(4) > 0 {
		return
	}
	machines := m.cloud.server.All("Machine")
	machine := machines[m.random.IntN(len(machines))]
	if machine.GetDeletionTimestamp() == nil {
		machine.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
		m.cloud.server.Put(machine)
	}
}

// restart kills some processes, and starts a new one, which may lead beside another one for a while.
func (m *model) restart() {
	for _, r := range m.replicas {
		if m.random.IntN(4) > 0 || r.dead.Load() {
			r.stop()
		}
	}
	m.replicas = slices.DeleteFunc(m.replicas, func(r *replica) bool { return r.dead.Load() })
	for len(m.replicas) > 1 {
		m.replicas[0].stop()
		m.replicas = m.replicas[1:]
	}
	r := m.start()
	if m.random.IntN(2) == 0 {
		r.writes.Store(int64(m.random.IntN(30)))
	}
}

// fault has some requests fail; some of these are carried out all the same.
func (m *model) fault() {
	rate, random := 2+m.random.IntN(8), rand.New(rand.NewPCG(m.random.Uint64(), 2))
	m.Inject(func(action clienttesting.Action) (bool, error) {
		if action.GetVerb() == "watch" || random.IntN(rate) > 0 {
			return false, nil
		}
		return random.IntN(2) == 0, drainertest.ServerDown()
	})
}

// end has all be well again, and wants every event to end.
func (m *model) end() {
	m.Heal()
	m.lag.Store(0)
	m.closed.Store(false)
	m.cloud.fail(false, false)
	m.finishReboots(true)
	for _, r := range m.replicas {
		r.stop()
	}
	m.replicas = nil
	m.start()
	m.wait(5 * time.Hour) // all drains have started
	m.rebootAll()
	for _, name := range m.named { // which people see to
		if event := m.get(name); event != nil && waitsForPeople(event) {
			m.Delete(event)
		}
	}
	m.wait(time.Hour)
	for range m.named { // nodes of the control plane go one after the other
		if m.rebootAll(); !m.open() {
			break
		}
	}
	m.wantEnded()
}

// open says whether an event has not ended.
func (m *model) open() bool {
	return slices.ContainsFunc(m.named, func(name string) bool {
		event := m.get(name)
		return event != nil && !isOver(event)
	})
}

// isOver says whether nothing is to be done for an event any more, or while it has no node.
func isOver(event *v1beta1.ScheduledEvent) bool {
	return decision.Ended(event) || event.Status.Phase == v1beta1.EventPhaseIgnored || event.Status.NodeName == ""
}

// rebootAll has all nodes go and come back.
func (m *model) rebootAll() {
	var nodes []string
	m.Locked(func() {
		for _, node := range drainertest.All[*corev1.Node](m.Store) {
			nodes = append(nodes, node.Name)
		}
	})
	for _, is := range []bool{false, true} {
		m.boots++
		for _, node := range nodes {
			if drainertest.Get[*corev1.Node](m.Server, "", node) != nil {
				m.ready(node, is, fmt.Sprintf("boot-%d", m.boots))
			}
		}
		m.wait(15 * time.Minute)
	}
}

// wantEnded wants every event to have ended, and nothing to be left.
func (m *model) wantEnded() {
	for _, name := range m.named {
		event := m.get(name)
		if event == nil {
			continue
		}
		if !isOver(event) {
			m.t.Errorf("event %s (%s) has not ended: %s, waiting for %q: %+v", name, event.Spec.Code, event.Status.Phase, event.Status.WaitingFor, event.Status)
		}
		if hold := m.holdOf(name, event.Status.NodeName); hold != nil && decision.Ended(event) {
			m.t.Errorf("the hold of %s is still there: %+v", name, hold.Status)
		}
	}
	set := m.cloud.set()
	for _, uid := range surgedFor(set) {
		m.t.Errorf("a machine is still added for %s", uid)
	}
	if got := replicasOf(set); got != m.cloud.wanted {
		m.t.Errorf("the set is to have %d machines, want %d", got, m.cloud.wanted)
	}
}

// waitsForPeople says whether a person has to do something.
func waitsForPeople(event *v1beta1.ScheduledEvent) bool {
	for _, condition := range event.Status.Conditions {
		if condition.Type == v1beta1.ConditionBlocked && condition.Status == metav1.ConditionTrue {
			return true
		}
	}
	return false
}
