// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
)

const namespace = "machines"

// world is one MachineSet, or one MachineDeployment with its set, with its controllers, the admins, and several events.
type world struct {
	random *rand.Rand
	clock  *clocktesting.FakePassiveClock
	server *machinestest.Server
	client *machines.Client
	api    api

	events []*event
	// ready are the nodes that are Ready.
	ready sets.Set[string]
	// wanted is how many machines the admins want.
	wanted int64
	// spare is how many machines the set may take without a mark, because an admin has lowered the replicas.
	spare int64
	// seen is what the set's controller knows of its machines: the marks in it may be old.
	seen map[string]seenMark
	// names counts machines.
	names int
	// quiet says that nothing fails any more.
	quiet bool
	// detached says that an admin has taken a machine from the set: what was added for it stays. released are all those
	// that an admin has taken from it.
	detached int64
	released sets.Set[string]
	// looking says that an event is looked at.
	looking bool
	errs    []string
	// story is what has happened, for whoever has to find out why a run failed.
	story []string
}

type seenMark struct {
	marked bool
	since  time.Time
}

// api is which of the machine APIs the world has.
type api struct {
	group, version string
	deployment     bool
	marks          []string
	// counts says that machines that are being deleted count as machines of their set.
	counts bool
}

var apis = []api{
	{group: v1beta1.OpenShiftMachineGroup, version: "v1beta1", marks: []string{"machine.openshift.io/delete-machine"}},
	{group: v1beta1.OpenShiftMachineGroup, version: "v1beta1", marks: []string{"machine.openshift.io/cluster-api-delete-machine"}},
	{group: v1beta1.ClusterAPIGroup, version: "v1beta1", marks: []string{"cluster.x-k8s.io/delete-machine"}, counts: true},
	{group: v1beta1.ClusterAPIGroup, version: "v1beta2", marks: []string{"cluster.x-k8s.io/delete-machine"}, counts: true, deployment: true},
}

func (a api) kind(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: a.group, Version: a.version, Kind: kind}
}

func newWorld(seed uint64) *world {
	random := rand.New(rand.NewPCG(seed, 0))
	clock := clocktesting.NewFakePassiveClock(clockStart)
	w := &world{
		random: random, clock: clock, server: machinestest.New(clock), api: apis[random.IntN(len(apis))],
		ready: sets.New[string](), wanted: 1 + random.Int64N(4), seen: map[string]seenMark{},
		released: sets.New[string](),
	}
	w.server.Serve(w.api.kind("Machine"), w.api.kind("MachineSet"))
	if w.api.deployment {
		w.server.Serve(w.api.kind("MachineDeployment"))
	}
	w.client = machines.New(w.server, w.server, clock)
	w.server.Wrote = w.check
	w.server.Fault = w.fault
	w.server.Reading = w.meanwhile
	w.build()
	return w
}

// build makes the owner with its machines, all Ready, and an event for some of them.
func (w *world) build() {
	set := w.object("MachineSet", "set")
	setReplicas(set, w.wanted)
	if w.api.deployment {
		deployment := w.object("MachineDeployment", "deployment")
		setReplicas(deployment, w.wanted)
		control(set, w.server.Put(deployment))
	}
	set = w.server.Put(set)
	for range w.wanted {
		machine := w.addMachine(set)
		w.register(machine)
	}
	w.advance(time.Minute)
	for _, machine := range w.server.All("Machine") {
		if len(w.events) == 0 || w.chance(40) {
			w.begin(machine)
		}
	}
}

func (w *world) object(kind, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(w.api.kind(kind))
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func (w *world) addMachine(set *unstructured.Unstructured) *unstructured.Unstructured {
	w.names++
	machine := w.object("Machine", fmt.Sprintf("machine-%02d", w.names))
	control(machine, set)
	w.tell("machine %s comes", machine.GetName())
	return w.server.Put(machine)
}

// register has a machine say that it is a node, which is Ready.
func (w *world) register(machine *unstructured.Unstructured) {
	node := "node-of-" + machine.GetName()
	set(machine, node, "status", "nodeRef", "name")
	w.server.Put(machine)
	w.ready.Insert(node)
}

// owner is what the events scale.
func (w *world) owner() *unstructured.Unstructured {
	if w.api.deployment {
		return w.server.All("MachineDeployment")[0]
	}
	return w.server.All("MachineSet")[0]
}

func (w *world) machine(name string) *unstructured.Unstructured {
	for _, machine := range w.server.All("Machine") {
		if machine.GetName() == name {
			return machine
		}
	}
	return nil
}

// live are the machines of the set that are not being deleted.
func (w *world) live() (live []*unstructured.Unstructured) {
	for _, machine := range w.server.All("Machine") {
		if machine.GetDeletionTimestamp() == nil && metav1.GetControllerOf(machine) != nil {
			live = append(live, machine)
		}
	}
	return live
}

func (w *world) chance(percent int) bool { return w.random.IntN(100) < percent }

func (w *world) advance(by time.Duration) { w.clock.SetTime(w.clock.Now().Add(by)) }

func (w *world) errorf(format string, args ...any) {
	w.errs = append(w.errs, fmt.Sprintf(format, args...))
	w.tell("WRONG: "+format, args...)
}

// tell adds to the story.
func (w *world) tell(format string, args ...any) {
	w.story = append(w.story, w.clock.Now().Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
}

func control(object, by *unstructured.Unstructured) {
	object.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: by.GetAPIVersion(), Kind: by.GetKind(), Name: by.GetName(), UID: by.GetUID(), Controller: new(true),
	}})
}

func set(object *unstructured.Unstructured, value any, fields ...string) {
	if err := unstructured.SetNestedField(object.Object, value, fields...); err != nil {
		panic(err)
	}
}

func setReplicas(object *unstructured.Unstructured, count int64) {
	set(object, count, "spec", "replicas")
}

func replicasOf(object *unstructured.Unstructured) int64 {
	count, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	return count
}

func eventUID(number int) types.UID { return types.UID(fmt.Sprintf("event-%d", number)) }
