// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/job"
)

// reboots is the trigger reboot, as the server has it.
func reboots(c *Config) {
	c.Kinds[action.KindReboot] = job.NewReboot(c.Kube, job.New(c.Kube, nil, clock.RealClock{}))
}

// rebooting is a profile whose nodes are drained and then wait for their reboot, by somebody else or by a Job.
func rebooting(by *v1beta1.JobTrigger, enter []string, changes ...func(*v1beta1.ProfileTrigger)) func(*v1beta1.MaintenanceProfileSpec) {
	return func(spec *v1beta1.MaintenanceProfileSpec) {
		reboot := v1beta1.ProfileTrigger{Name: "reboot", Reboot: &v1beta1.RebootTrigger{Job: by}}
		for _, change := range changes {
			change(&reboot)
		}
		spec.Triggers = append(spec.Triggers, reboot)
		spec.States.MaintenanceRequired.Transitions[0].Triggers = nil
		spec.States.InMaintenance.Enter = enter
		if slices.Contains(enter, "drain") {
			spec.States.InMaintenance.Hold = nil
		}
		spec.States.InMaintenance.Transitions[0] = v1beta1.ProfileTransition{Name: "finish", Check: "go || done", Next: v1beta1.ProfileOperational}
	}
}

// boots has a node report a boot, and whether it is Ready.
func (w *world) boots(id string, ready corev1.ConditionStatus) {
	drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1"}}, func(n *corev1.Node) {
		n.Status.NodeInfo.BootID = id
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	})
}

// waitsFor compares what the node waits for, while it is held.
func (w *world) waitsFor(want string) {
	w.t.Helper()
	w.wait(10 * time.Second)
	if got := w.get("w-1", "flatcar").Status.WaitingFor; got != want || w.holds() != 1 {
		w.t.Errorf("it waits for %q with %d holds, want %q with one", got, w.holds(), want)
	}
}

// A node that somebody else reboots is kept until it is Ready in another boot, and leaves at once then.
func TestRebootByOthers(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.boots("boot-1", corev1.ConditionTrue)
		w.profile("flatcar", rebooting(nil, []string{"drain", "hook", "reboot"}))
		w.start(reboots)
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-1")
		w.boots("boot-1", corev1.ConditionUnknown)
		w.waitsFor("reboot: waits for w-1 to boot: it is not Ready, and its boot ID was boot-1")
		w.boots("boot-1", corev1.ConditionTrue) // it was only away
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-1")
		w.boots("boot-2", corev1.ConditionFalse)
		w.waitsFor("reboot: w-1 has rebooted, and its boot ID was boot-1: waits for it to be Ready")
		w.unlabel("w-1", "go")
		w.label("w-1", "done")
		w.boots("boot-2", corev1.ConditionTrue)
		w.wait(2 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
	})
}

// An agent may reboot its node before it is noted that it was told to.
func TestRebootByAQuickAgent(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.boots("boot-1", corev1.ConditionTrue)
		w.outside.answer = func(step action.Step, _ int) (action.Progress, error) {
			if step.Recorded.Trigger.Webhook != nil && step.Transition.Phase == v1beta1.PhaseEnter {
				w.boots("boot-2", corev1.ConditionTrue)
			}
			return action.Done(), nil
		}
		w.profile("flatcar", rebooting(nil, []string{"drain", "hook", "reboot"}))
		w.start(reboots)
		w.wait(20 * time.Second)
		if got := w.get("w-1", "flatcar").Status; len(got.History) < 3 || got.History[2].Name != "finish" {
			t.Errorf("got %+v, want it to have been through its maintenance", got)
		}
	})
}

// A reboot of before counts only if it comes after all that could have asked for it: not one during the drain.
func TestRebootDuringTheDrain(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.boots("boot-1", corev1.ConditionTrue)
		w.profile("flatcar", rebooting(nil, []string{"drain", "reboot"}))
		w.start(reboots)
		for w.holds() == 0 {
			w.wait(50 * time.Millisecond)
		}
		w.boots("boot-2", corev1.ConditionTrue)
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-2")
	})
}

// A cache that is late shows the boot before. What counts is the one that the server shows.
func TestRebootIsRecordedAsItIs(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.boots("boot-1", corev1.ConditionTrue)
		w.profile("flatcar", rebooting(nil, []string{"drain", "reboot"}), func(spec *v1beta1.MaintenanceProfileSpec) {
			spec.Mode = v1beta1.ProfilePaused
		})
		w.start(reboots)
		w.wait(time.Second)
		w.lag.Store(int64(time.Minute))
		w.boots("boot-2", corev1.ConditionTrue)
		w.wait(time.Second)
		w.lag.Store(0)
		w.changeProfile("flatcar", func(spec *v1beta1.MaintenanceProfileSpec) { spec.Mode = v1beta1.ProfileActive })
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-2")
		w.wait(2 * time.Minute)
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-2")
	})
}

// After timeoutSeconds people are told once, and the step goes on, or is given up: but never while the node is down.
func TestRebootTakesTooLong(t *testing.T) {
	for name, test := range map[string]struct {
		onFailure v1beta1.FailureAction
		down      bool
		want      string
	}{
		"retry":           {want: "reboot: not done within 60 seconds: waits for somebody to reboot w-1: its boot ID is still boot-1"},
		"abort":           {onFailure: v1beta1.FailureAbort},
		"retry, and down": {down: true, want: "reboot: not done within 60 seconds: waits for w-1 to boot: it is not Ready, and its boot ID was boot-1"},
		"abort, and down": {
			onFailure: v1beta1.FailureAbort, down: true,
			want: "reboot: not done within 60 seconds: waits for w-1 to boot: it is not Ready, and its boot ID was boot-1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1", "go")
				w.boots("boot-1", corev1.ConditionTrue)
				w.profile("flatcar", rebooting(nil, []string{"drain", "reboot"}, func(trigger *v1beta1.ProfileTrigger) {
					trigger.TimeoutSeconds, trigger.OnFailure = ptr.To[int64](60), test.onFailure
				}))
				r := w.start(reboots)
				w.wait(10 * time.Second)
				if test.down {
					w.boots("boot-1", corev1.ConditionUnknown)
				}
				w.wait(55 * time.Second)
				if test.want == "" {
					w.wait(time.Second)
					if got := w.get("w-1", "flatcar").Status; got.State != v1beta1.ProfileMaintenanceRequired || !strings.HasPrefix(got.History[2].Message, "reboot: not done within 60 seconds: waits for somebody") {
						t.Errorf("got %+v, want it given up", got)
					}
					return
				}
				w.waitsFor(test.want)
				w.boots("boot-1", corev1.ConditionFalse)
				w.wait(10 * time.Minute)
				told := 0
				for len(r.recorder.Events) > 0 {
					if strings.Contains(<-r.recorder.Events, eventStepFailed) {
						told++
					}
				}
				if told != 2 {
					t.Errorf("there are %d events, want one for the node and one for the NodeProfile", told)
				}
			})
		})
	}
}

// A node whose kubelet reports no boot ID, or one that is too long to keep, is never told to reboot.
func TestRebootWithoutABootID(t *testing.T) {
	for name, test := range map[string]struct{ boot, want string }{
		"none":     {want: "it could not be seen that w-1 reboots: its kubelet reports no boot ID in status.nodeInfo.bootID"},
		"too long": {boot: strings.Repeat("b", 129), want: "the boot ID of w-1 has 129 bytes, and may have 128"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, onFailure := range []v1beta1.FailureAction{v1beta1.FailureRetry, v1beta1.FailureAbort} {
				inWorld(t, 1, func(w *world) {
					w.outside.answer = func(step action.Step, _ int) (action.Progress, error) {
						if step.Transition.Phase == v1beta1.PhaseEnter {
							t.Error("it is told to reboot")
						}
						return action.Done(), nil
					}
					w.node("w-1", "go")
					w.boots(test.boot, corev1.ConditionTrue)
					w.profile("flatcar", rebooting(nil, []string{"drain", "hook", "reboot"}), func(spec *v1beta1.MaintenanceProfileSpec) {
						spec.Triggers[0].OnFailure = onFailure
					})
					w.start(reboots)
					if onFailure == v1beta1.FailureRetry {
						w.waitsFor("hook: " + test.want)
						return
					}
					w.wait(20 * time.Second)
					if got := w.get("w-1", "flatcar").Status; got.State != v1beta1.ProfileMaintenanceRequired || got.History[2].Message != test.want {
						t.Errorf("got %+v, want it given up", got)
					}
				})
			}
		})
	}
}

// A version that does not know the trigger has had it run without a boot.
func TestRebootOfAnEarlierVersion(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.boots("boot-1", corev1.ConditionTrue)
		w.profile("flatcar", rebooting(nil, []string{"drain", "reboot"}))
		r := w.start(reboots)
		w.wait(10 * time.Second)
		r.stop()
		name := v1beta1.NodeProfileName("w-1", "flatcar")
		drainertest.Change(w.Server, &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(n *v1beta1.NodeProfile) {
			n.Status.Transition.Steps[1].BootID = ""
		})
		w.start(reboots)
		w.waitsFor("reboot: waits for somebody to reboot w-1: its boot ID is still boot-1")
	})
}

var rebootRuns = flag.Int("reboot.runs", 1, "how many random runs TestRebootKills makes of each profile")

// rebootKills is how often the leader is killed in each run.
const rebootKills = 50

// The leader is killed at any of its writes, 50 times in each of these profiles, while machines reboot: at once or later,
// quickly or in ten minutes, by a Job, an agent or by themselves. Two leaders may act at the same time, requests fail, and
// watches are late. Whatever happens: no Job reboots its machine twice, and no node is given back before it has booted, while
// its machine is down, or while something is left that is going to reboot it.
func TestRebootKills(t *testing.T) {
	by := &v1beta1.JobTrigger{Namespace: "ops", CronJob: "reboot"}
	for name, test := range map[string]struct {
		by       *v1beta1.JobTrigger
		enter    []string
		compares bool
	}{
		"a job":                     {by: by, enter: []string{"drain", "reboot"}},
		"a job without a drain":     {by: by, enter: []string{"reboot"}},
		"a job that compares boots": {by: by, enter: []string{"drain", "reboot"}, compares: true},
		"an agent":                  {enter: []string{"drain", "hook", "reboot"}},
		"an agent without a drain":  {enter: []string{"hook", "reboot"}},
	} {
		for seed := range uint64(*rebootRuns) {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				inWorld(t, 2, func(w *world) { newMachines(w, seed, test.compares).killLeaders(test.by, test.enter) })
			})
		}
	}
}

// machines are the machines of the nodes, with their kubelets, and the controller of Jobs. All is under the server's lock.
type machines struct {
	*world
	// random is for machines, and kills for the rest.
	random, kills *rand.Rand
	of            map[string]*computer
	pods          map[types.UID]*jobPod
	// asked are the calls that the agents of machines have heard.
	asked map[string]bool
	// byJob is how often the Job of a step has rebooted its machine.
	byJob map[string]int
	// compares says that programs reboot only the boot that they are told to, and that machines reboot by themselves, too.
	// Nobody but the program keeps a machine from a second reboot, if its pod begins right after the first. Agents are told
	// nothing to compare.
	compares bool
	// back is how many nodes were given back.
	back int
}

// computer is a machine.
type computer struct {
	name  string
	boots int
	up    bool
	// upAt is the time when a machine is up again that is down, goneAt when its node is seen to be not Ready; reportsAt and readyAt are
	// when the kubelet of a machine that is up reports its boot, and when its node is Ready. reboots is when it reboots;
	// zero: not.
	upAt, goneAt, reportsAt, readyAt, reboots time.Time
	// came is the boot that its node reported when it came into maintenance, and since when that was.
	came  string
	since time.Time
}

// jobPod is the pod of a Job.
type jobPod struct {
	beginsAt time.Time
	begun    bool
	// boot is the one that it has begun in.
	boot     int
	failures int32
}

func newMachines(w *world, seed uint64, compares bool) *machines {
	m := &machines{
		world: w, random: rand.New(rand.NewPCG(seed, 3)), kills: rand.New(rand.NewPCG(seed, 4)), of: map[string]*computer{}, pods: map[types.UID]*jobPod{},
		asked: map[string]bool{}, byJob: map[string]int{}, compares: compares,
	}
	w.follow = m.see
	w.outside.answer = m.call
	for _, name := range modelNodes {
		c := &computer{name: name, boots: 1, up: true}
		m.of[name] = c
		node := newNode(name, name+"-uid", "go")
		c.report(node, corev1.ConditionTrue)
		w.Add(node)
	}
	w.Add(&batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "reboot"},
		Spec: batchv1.CronJobSpec{Suspend: ptr.To(true), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyOnFailure}},
		}}},
	})
	return m
}

// seconds is a time of so many seconds at most.
func seconds(random *rand.Rand, most int) time.Duration {
	return time.Duration(random.Int64N(int64(most) * int64(time.Second)))
}

// later is in so many seconds at most.
func (m *machines) later(most int) time.Time { return time.Now().Add(seconds(m.random, most)) }

// killLeaders has nodes go through their maintenance again and again while leaders are killed.
func (m *machines) killLeaders(by *v1beta1.JobTrigger, enter []string) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.run(ctx) })
	defer running.Wait()
	defer stop()
	m.profile("flatcar", rebooting(by, enter))
	for range rebootKills {
		m.kill()
		if m.t.Failed() {
			return
		}
	}
	m.endReboots()
}

// kill has the leader die at one of its next writes. Another one comes, which acts beside it at times, or later.
func (m *machines) kill() {
	m.wait(seconds(m.kills, []int{1, 30}[m.kills.IntN(2)]))
	m.Heal()
	if m.kills.IntN(3) == 0 {
		m.failSome()
	}
	next := m.start(reboots)
	if m.kills.IntN(4) > 0 {
		m.stopAll(next)
	}
	m.wait(seconds(m.kills, 20))
	m.stopAll(next)
	next.writes.Store(int64(m.kills.IntN(20)))
	for range 200 {
		if m.wait(seconds(m.kills, 2)); next.dead.Load() {
			return
		}
	}
	m.stopAll(nil)
}

// failSome has some requests fail; some of these are carried out all the same.
func (m *machines) failSome() {
	random := rand.New(rand.NewPCG(m.kills.Uint64(), 5))
	m.Inject(func(action clienttesting.Action) (bool, error) {
		if action.GetVerb() == "watch" || random.IntN(8) > 0 {
			return false, nil
		}
		return random.IntN(2) == 0, drainertest.ServerDown()
	})
}

// stopAll kills all processes but one.
func (m *machines) stopAll(but *replica) {
	for _, r := range m.replicas {
		if r != but {
			r.stop()
		}
	}
	m.replicas = slices.DeleteFunc(m.replicas, func(r *replica) bool { return r != but })
}

// endReboots has nobody need maintenance any more, and wants all nodes to come through.
func (m *machines) endReboots() {
	m.Heal()
	m.stopAll(nil)
	m.start(reboots)
	for _, node := range modelNodes {
		m.unlabel(node, "go")
		m.label(node, "done")
	}
	m.changeProfile("flatcar", func(spec *v1beta1.MaintenanceProfileSpec) {
		spec.States.MaintenanceRequired.Transitions = []v1beta1.ProfileTransition{{Name: "back", Check: "done", Next: v1beta1.ProfileOperational}}
	})
	m.wait(3 * time.Hour)
	m.wantState("flatcar", v1beta1.ProfileOperational, modelNodes...)
	if left := m.holds(); left > 0 {
		m.t.Errorf("%d nodes are held still", left)
	}
	if m.t.Logf("%d nodes were given back", m.back); m.back < 20 {
		m.t.Errorf("only %d nodes were given back: the test has shown nothing", m.back)
	}
}

// run has machines and Jobs go on until ctx is done.
func (m *machines) run(ctx context.Context) {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		m.Locked(func() {
			m.lag.Store(int64(seconds(m.random, 3)) * m.random.Int64N(2)) // so that a change may overtake another one
			for _, name := range slices.Sorted(maps.Keys(m.of)) {
				m.goOn(m.of[name])
			}
			for _, stored := range drainertest.All[*batchv1.Job](m.Store) {
				m.control(stored)
			}
		})
	}
}

// goOn has a machine come up, reboot by itself, or by a person who sees that nothing happens, and its kubelet report.
func (m *machines) goOn(c *computer) {
	now := time.Now()
	person := !c.since.IsZero() && now.Sub(c.since) > 20*time.Minute && c.boot() == c.came
	switch {
	case !c.up && !now.Before(c.upAt):
		c.up, c.boots = true, c.boots+1
		c.reportsAt = m.later(5)
		c.readyAt = c.reportsAt.Add(time.Duration(m.random.IntN(2)) * 5 * time.Second)
	case c.up && (!c.reboots.IsZero() && !now.Before(c.reboots) || m.compares && m.random.IntN(2000) == 0 || person && m.random.IntN(100) == 0):
		m.reboot(c)
	}
	node := drainertest.Find[*corev1.Node](m.Store, "", c.name).DeepCopy()
	switch was := readyStatus(node); {
	case !c.up && !now.Before(c.goneAt) && was == corev1.ConditionTrue:
		node.Status.Conditions[0].Status = corev1.ConditionUnknown
	case c.up && !now.Before(c.readyAt) && (was != corev1.ConditionTrue || node.Status.NodeInfo.BootID != c.boot()):
		c.report(node, corev1.ConditionTrue)
	case c.up && !now.Before(c.reportsAt) && node.Status.NodeInfo.BootID != c.boot():
		c.report(node, corev1.ConditionFalse)
	default:
		return
	}
	m.Store.Put(node)
}

// boot is the boot ID of a machine.
func (c *computer) boot() string { return fmt.Sprintf("%s-boot-%d", c.name, c.boots) }

func (c *computer) report(node *corev1.Node, ready corev1.ConditionStatus) {
	node.Status.NodeInfo.BootID = c.boot()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
}

// reboot has a machine go down, for a second or for ten minutes. What it was to do later is forgotten.
func (m *machines) reboot(c *computer) {
	c.up, c.reboots, c.goneAt = false, time.Time{}, m.later(40)
	c.upAt = m.later([]int{2, 60, 600}[m.random.IntN(3)])
}

// control does what the controller of Jobs and the kubelet do for a Job.
func (m *machines) control(stored *batchv1.Job) {
	c, p := m.machineOf(stored), m.pods[stored.UID]
	switch now := time.Now(); {
	case ended(stored) || *stored.Spec.Suspend:
	case ptr.Deref(stored.Spec.ActiveDeadlineSeconds, 0) == 1:
		if c.up && !now.Before(c.reportsAt) { // else nobody knows whether its pod has ended
			m.endJob(stored, batchv1.JobFailed)
		}
	case p == nil:
		m.wantRecorded(stored, c)
		m.pods[stored.UID] = &jobPod{beginsAt: m.later([]int{2, 60}[m.random.IntN(2)])}
	case !c.up:
		if now.Sub(c.goneAt) > 5*time.Minute {
			m.failPod(stored, p) // it was evicted
		}
	case now.Before(c.reportsAt): // the kubelet does not work yet
	case p.begun && p.boot != c.boots && stored.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyNever:
		m.failPod(stored, p) // it has died with its machine
	case p.begun && p.boot != c.boots, !p.begun && !now.Before(p.beginsAt):
		p.begun, p.boot = true, c.boots
		m.execute(stored, p, c)
	}
}

// execute runs the program of a Job: it reboots the machine at once, or later; or it is broken.
func (m *machines) execute(stored *batchv1.Job, p *jobPod, c *computer) {
	if told := stored.Spec.Template.Annotations[v1beta1.BootIDAnnotation]; m.compares && told != c.boot() {
		m.failPod(stored, p)
		return
	}
	step := stored.Annotations[v1beta1.StepAnnotation]
	switch m.random.IntN(8) {
	case 0:
		m.failPod(stored, p)
		return
	case 1, 2, 3:
		c.reboots = m.later(90)
		m.endJob(stored, []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed}[m.random.IntN(2)])
	default:
		m.reboot(c)
	}
	if m.byJob[step]++; m.byJob[step] > 1 {
		m.t.Errorf("the Job of %s reboots its machine again", step)
	}
}

// failPod has a pod of a Job fail. There is another one then, if the Job permits that.
func (m *machines) failPod(stored *batchv1.Job, p *jobPod) {
	p.begun, p.beginsAt = false, m.later(10)
	if p.failures++; p.failures > ptr.Deref(stored.Spec.BackoffLimit, 6) {
		m.endJob(stored, batchv1.JobFailed)
	}
}

func (m *machines) endJob(stored *batchv1.Job, how batchv1.JobConditionType) {
	next := stored.DeepCopy()
	next.Status.Conditions = []batchv1.JobCondition{{Type: how, Status: corev1.ConditionTrue}}
	m.Store.Put(next)
}

func ended(stored *batchv1.Job) bool { return len(stored.Status.Conditions) > 0 }

func (m *machines) machineOf(stored *batchv1.Job) *computer {
	terms := stored.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return m.of[terms[0].MatchFields[0].Values[0]]
}

// wantRecorded wants a Job that is started to belong to a step that has recorded it, and the boot that it is to end.
func (m *machines) wantRecorded(stored *batchv1.Job, c *computer) {
	told := stored.Spec.Template.Annotations[v1beta1.BootIDAnnotation]
	for _, nodeProfile := range drainertest.All[*v1beta1.NodeProfile](m.Store) {
		transition := nodeProfile.Status.Transition
		if transition == nil {
			continue
		}
		for _, step := range transition.Steps {
			if step.Object == stored.Name && step.State == v1beta1.StepRunning && step.BootID == told && strings.HasPrefix(told, c.name) {
				return
			}
		}
	}
	m.t.Errorf("Job %s runs, to end boot %q of %s, and nobody has recorded that", stored.Name, told, c.name)
}

// call has the agent of a machine reboot it, at once or later. It hears each call once.
func (m *machines) call(step action.Step, _ int) (action.Progress, error) {
	if step.Recorded.Trigger.Webhook == nil || step.Transition.Phase != v1beta1.PhaseEnter {
		return action.Done(), nil
	}
	m.Locked(func() {
		if c := m.of[step.NodeProfile.Spec.NodeName]; !m.asked[step.ID()] {
			m.asked[step.ID()] = true
			c.reboots = m.later([]int{1, 60}[m.random.IntN(2)])
		}
	})
	return action.Done(), nil
}

// see follows nodes into maintenance, and wants those that are given back to have rebooted.
func (m *machines) see(before, after drainertest.Object) {
	was, _ := before.(*v1beta1.NodeProfile)
	is, _ := after.(*v1beta1.NodeProfile)
	if was == nil || is == nil || was.Status.State == is.Status.State {
		return
	}
	c := m.of[is.Spec.NodeName]
	switch {
	case is.Status.State == v1beta1.ProfileInMaintenance:
		c.came, c.since = drainertest.Find[*corev1.Node](m.Store, "", c.name).Status.NodeInfo.BootID, time.Now()
	case was.Status.State == v1beta1.ProfileInMaintenance:
		m.back++
		c.since = time.Time{}
		m.wantRebooted(c)
	}
}

// wantRebooted wants a machine to be through with its reboot.
func (m *machines) wantRebooted(c *computer) {
	node := drainertest.Find[*corev1.Node](m.Store, "", c.name)
	away := !c.up || readyStatus(node) != corev1.ConditionTrue
	if away && !m.compares || node.Status.NodeInfo.BootID == c.came || !c.reboots.IsZero() {
		m.t.Errorf("%s is given back: %+v", c.name, c)
	}
	for _, stored := range drainertest.All[*batchv1.Job](m.Store) {
		if m.machineOf(stored) == c && !*stored.Spec.Suspend && !ended(stored) {
			m.t.Errorf("%s is given back, and Job %s may reboot it: %+v", c.name, stored.Name, stored.Spec)
		}
	}
}
