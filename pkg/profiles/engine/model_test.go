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
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
)

var (
	modelRuns = flag.Int("model.runs", 40, "how many random runs TestModel makes")
	modelSeed = flag.Int64("model.seed", 0, "the seed of the only run of TestModel; 0: all")
)

// Random profiles, nodes, people, faults and crashes, with one leader or two at the same time. Whatever happens: never
// are more nodes in maintenance than may be, never two profiles on a node, no step is done before it was recorded, no Job
// runs twice, no hold is without a NodeProfile that has recorded it, no expression kills more than one process of a pod; and
// when all is well again, all nodes come through.
func TestModel(t *testing.T) {
	for seed := uint64(1); seed <= uint64(*modelRuns); seed++ {
		if *modelSeed != 0 && seed != uint64(*modelSeed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			inWorld(t, 1+random.IntN(2), func(w *world) { (&model{world: w, random: random}).run() })
		})
	}
}

type model struct {
	*world
	random *rand.Rand
	// bombs is how many expressions were written that kill processes.
	bombs int
}

// pods are where the processes run: each has a crash record. No two run in one pod at the same time.
var pods = []string{"pod-0", "pod-1", "pod-2"}

var modelNodes, modelProfiles = []string{"w-1", "w-2", "w-3", "w-4"}, []string{"esx", "flatcar"}

func (m *model) run() {
	m.logs = *modelSeed != 0
	m.outside.answer = m.answer
	for _, node := range modelNodes {
		m.node(node)
	}
	for _, profile := range modelProfiles {
		m.profile(profile, m.spec)
	}
	m.restart()
	for range 30 + m.random.IntN(60) {
		m.event()
		m.wait(time.Duration(m.random.IntN(4000)) * time.Millisecond)
		if m.t.Failed() {
			return
		}
	}
	m.end()
}

// spec varies a profile.
func (m *model) spec(spec *v1beta1.MaintenanceProfileSpec) {
	states := &spec.States
	start := &states.MaintenanceRequired.Transitions[0]
	if m.random.IntN(2) == 0 {
		start.Check = "max && stagger && go"
	}
	switch m.random.IntN(4) {
	case 0:
		states.InMaintenance.Hold = nil
		start.Triggers = []string{"drain", "job"}
		states.InMaintenance.Transitions[0].Triggers = []string{"hook", "release"}
	case 1:
		start.Triggers = nil
		states.InMaintenance.Enter = []string{"job"}
	case 2:
		states.MaintenanceRequired.Hold = &v1beta1.ProfileHold{Stage: v1beta1.StageCordon}
	}
	m.specMore(spec)
	for i := range spec.Triggers {
		if m.random.IntN(2) == 0 {
			spec.Triggers[i].OnFailure = v1beta1.FailureAbort
		}
	}
	spec.OnDetach = []v1beta1.DetachAction{v1beta1.DetachFinish, v1beta1.DetachRelease}[m.random.IntN(2)]
	spec.Priority = int32(m.random.IntN(3))
	seconds := int64(m.random.IntN(20))
	spec.NodeGoneSeconds = &seconds
}

// specMore varies a profile further: what is done on the way back, what people are asked, and what has nothing to do with
// the rest.
func (m *model) specMore(spec *v1beta1.MaintenanceProfileSpec) {
	states := &spec.States
	if m.random.IntN(3) == 0 {
		states.Operational.Enter = []string{"job", "hook"}
	}
	if m.random.IntN(3) == 0 {
		states.InMaintenance.Enter, states.InMaintenance.Hold = []string{"drain", "hook"}, nil
	}
	if m.random.IntN(3) == 0 {
		spec.Checks = append(spec.Checks,
			v1beta1.ProfileCheck{Name: "alice", Approval: &v1beta1.ApprovalCheck{}},
			v1beta1.ProfileCheck{Name: "quiet", Wait: &v1beta1.WaitCheck{Seconds: int64(m.random.IntN(10))}},
		)
		states.Operational.Transitions[0].Check = "go && quiet && (alice || !done)"
	}
	if m.random.IntN(3) == 0 {
		states.Operational.Transitions = append([]v1beta1.ProfileTransition{
			{Name: "direct", Check: "max && go && !done", Next: v1beta1.ProfileInMaintenance},
		}, states.Operational.Transitions...)
		states.Operational.Transitions[1].Check = "stagger && (" + states.Operational.Transitions[1].Check + ")"
	}
}

// answer is how a step ends.
func (m *model) answer(step action.Step, calls int) (action.Progress, error) {
	key := len(step.ID()) + calls + int(step.ID()[len(step.ID())-1])
	switch key % 7 {
	case 0:
		return action.Waiting("it takes its time", time.Now().Add(time.Second)), nil
	case 1:
		return action.Progress{}, fmt.Errorf("no route to host")
	case 2:
		if step.Recorded.Trigger.OnFailure == v1beta1.FailureAbort && calls < 3 {
			return action.Failed("refused"), nil
		}
	}
	return action.Done(), nil
}

// restart kills some processes, and starts a new one, which may lead beside the others for a while.
func (m *model) restart() {
	for _, r := range m.replicas {
		if m.random.IntN(3) > 0 || r.dead.Load() {
			r.stop()
		}
	}
	m.replicas = slices.DeleteFunc(m.replicas, func(r *replica) bool { return r.dead.Load() })
	for len(m.replicas) > 1 {
		m.replicas[0].stop()
		m.replicas = m.replicas[1:]
	}
	r := m.startInPod()
	if m.random.IntN(2) == 0 {
		r.writes.Store(int64(m.random.IntN(40)))
	}
}

// startInPod starts a process in a pod in which none runs.
func (m *model) startInPod() *replica {
	for {
		pod := pods[m.random.IntN(len(pods))]
		if !slices.ContainsFunc(m.replicas, func(r *replica) bool { return r.pod == pod }) {
			return m.startIn(pod)
		}
	}
}

// event makes something happen.
func (m *model) event() {
	node, profile := modelNodes[m.random.IntN(len(modelNodes))], modelProfiles[m.random.IntN(len(modelProfiles))]
	switch m.random.IntN(15) {
	case 0, 1, 2:
		m.change(node, "go", m.random.IntN(4) > 0)
	case 3, 4:
		m.change(node, "done", m.random.IntN(3) > 0)
	case 5, 6:
		m.restart()
	case 7:
		m.person(node, profile)
	case 8:
		m.otherNode(node)
	case 9:
		m.edit(profile)
	case 10:
		m.fault()
	case 11:
		m.Heal()
	case 12:
		m.lag.Store(int64(m.random.IntN(3000)) * int64(time.Millisecond))
	case 13:
		m.detach(profile)
	case 14:
		m.plant(profile)
	}
}

// plant gives a profile an expression that kills who evaluates it, or takes it away again.
func (m *model) plant(profile string) {
	if drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile) == nil {
		return
	}
	m.changeProfile(profile, func(spec *v1beta1.MaintenanceProfileSpec) {
		defuse(spec)
		if m.random.IntN(3) > 0 {
			m.bombs++
			spec.Checks = append(spec.Checks, bomb(fmt.Sprint(m.bombs)))
		}
	})
}

func (m *model) change(node, label string, set bool) {
	switch {
	case drainertest.Get[*corev1.Node](m.Server, "", node) == nil:
	case set:
		m.label(node, label)
	default:
		m.unlabel(node, label)
	}
}

func (m *model) person(node, profile string) {
	if m.get(node, profile) == nil {
		return
	}
	kind := []v1beta1.ProfileDecision{
		v1beta1.ProfilePush, v1beta1.ProfileVeto, v1beta1.ProfileAbort, v1beta1.ProfileApprove,
	}[m.random.IntN(4)]
	transition := ""
	if kind != v1beta1.ProfileAbort {
		transition = []string{"need", "finish", "start"}[m.random.IntN(3)]
	}
	if kind == v1beta1.ProfilePush && transition == "start" {
		return // it would exceed the limit: a person may
	}
	m.decide(node, profile, kind, transition)
}

// otherNode removes a node, or has another one come with its name.
func (m *model) otherNode(name string) {
	if node := drainertest.Get[*corev1.Node](m.Server, "", name); node != nil {
		m.Remove(node)
		if m.random.IntN(2) == 0 {
			return
		}
	}
	m.Add(newNode(name, fmt.Sprintf("%s-%d", name, m.random.Int()), "go"))
}

func (m *model) edit(profile string) {
	if drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile) == nil {
		m.profile(profile, m.spec)
		return
	}
	m.changeProfile(profile, func(spec *v1beta1.MaintenanceProfileSpec) {
		spec.Mode = []v1beta1.ProfileMode{v1beta1.ProfileActive, v1beta1.ProfileActive, v1beta1.ProfilePaused, v1beta1.ProfileDryRun}[m.random.IntN(4)]
		spec.Triggers[m.random.IntN(2)].OnFailure = v1beta1.FailureRetry
	})
}

// detach has a profile select other nodes, or deletes it.
func (m *model) detach(profile string) {
	stored := drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile)
	switch {
	case stored == nil:
		m.profile(profile, m.spec)
	case m.random.IntN(3) == 0:
		m.Delete(stored)
	default:
		m.changeProfile(profile, func(spec *v1beta1.MaintenanceProfileSpec) {
			pool := []string{"web", "none"}[m.random.IntN(2)]
			spec.Nodes.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": pool}}
		})
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

// end has all be well again, and wants all nodes to come through.
func (m *model) end() {
	m.Heal()
	m.lag.Store(0)
	m.outside.mu.Lock()
	m.outside.answer = nil
	m.outside.mu.Unlock()
	for _, r := range m.replicas {
		r.stop()
	}
	m.replicas = nil
	for _, profile := range modelProfiles {
		if drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile) != nil {
			m.changeProfile(profile, defuse)
		}
	}
	m.startInPod()
	m.wait(2 * time.Minute) // what was being deleted goes
	m.wantNeeded()
	for _, node := range modelNodes {
		if drainertest.Get[*corev1.Node](m.Server, "", node) == nil {
			m.node(node)
		}
		m.change(node, "go", false)
		m.change(node, "done", true)
	}
	m.wait(10 * time.Minute)
	for _, profile := range modelProfiles {
		if stored := drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile); stored == nil {
			m.profile(profile, m.spec)
		}
		m.changeProfile(profile, func(spec *v1beta1.MaintenanceProfileSpec) {
			spec.Mode = v1beta1.ProfileActive
			spec.Nodes.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}
			spec.States.MaintenanceRequired.Transitions = []v1beta1.ProfileTransition{{Name: "back", Check: "done", Next: v1beta1.ProfileOperational}}
			for i := range spec.Triggers {
				spec.Triggers[i].OnFailure = v1beta1.FailureRetry
			}
		})
	}
	m.wait(3 * time.Hour)
	m.wantRest()
}

// wantNeeded wants each entry of the ledger to be needed.
func (m *model) wantNeeded() {
	for _, entry := range m.ledger().InMaintenance {
		if np := m.get(entry.Node, entry.Profile); np == nil || !needsPlace(np) {
			m.t.Errorf("the ledger has %+v, and nobody needs it: %+v", entry, np)
		}
	}
}

func (m *model) wantRest() {
	for expression, deaths := range m.deaths {
		if deaths > len(pods) {
			m.t.Errorf("%d processes died of %s, want at most one in each of %d pods", deaths, expression, len(pods))
		}
	}
	for _, profile := range modelProfiles {
		stored := drainertest.Get[*v1beta1.MaintenanceProfile](m.Server, "", profile)
		if stored == nil {
			continue
		}
		for _, node := range modelNodes {
			np := m.get(node, profile)
			if np == nil && stored.DeletionTimestamp == nil || np != nil && np.Status.State != v1beta1.ProfileOperational && !m.vetoed(np) {
				m.t.Errorf("%s of %s is not Operational: %+v", node, profile, np)
			}
		}
	}
	if left := m.ledger().InMaintenance; len(left) > 0 && !m.anyVetoed() {
		m.t.Errorf("the ledger has %+v still", left)
	}
	m.wantNoStray()
	m.outside.mu.Lock()
	defer m.outside.mu.Unlock()
	for key, made := range m.outside.jobs {
		if made > 1 {
			m.t.Errorf("job %s was made %d times", key, made)
		}
	}
}

// wantNoStray wants no hold of a NodeProfile that does not ask for it. Kubernetes deletes those whose owner is gone.
func (m *model) wantNoStray() {
	m.Locked(func() {
		for _, held := range drainertest.All[*v1beta1.NodeMaintenance](m.Store) {
			for _, np := range drainertest.All[*v1beta1.NodeProfile](m.Store) {
				if hold.Name(np) == held.Name && np.Status.Hold == nil {
					m.t.Errorf("%s is held still, and does not ask for it", np.Name)
				}
			}
		}
	})
}

// vetoed says whether a person keeps the NodeProfile where it is.
func (m *model) vetoed(np *v1beta1.NodeProfile) bool {
	return slices.ContainsFunc(np.Status.Decisions, func(d v1beta1.RecordedDecision) bool {
		return d.Decision == v1beta1.ProfileVeto && d.Sequence == np.Status.Sequence
	})
}

func (m *model) anyVetoed() bool {
	for _, profile := range modelProfiles {
		for _, node := range modelNodes {
			if np := m.get(node, profile); np != nil && m.vetoed(np) {
				return true
			}
		}
	}
	return false
}
