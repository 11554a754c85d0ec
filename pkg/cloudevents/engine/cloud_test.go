// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines/machinestest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

const (
	machinesNamespace = "machines"
	deleteMark        = "machine.openshift.io/delete-machine"
)

// cloud has machines, their MachineSet and their controllers.
type cloud struct {
	w      *world
	server *machinestest.Server

	mu sync.Mutex
	// made counts machines.
	made int
	// wanted is how many machines there are to be.
	wanted int64
	// surges counts for each event how often a machine was added.
	surges map[string]int
	// broken has no new machine become a node. failing has the API fail.
	broken, failing bool
	// comes is the time after which a new machine is a node, and goes after how long a deleted one is gone.
	comes, goes time.Duration
}

func kindOf(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: v1beta1.OpenShiftMachineGroup, Version: "v1beta1", Kind: kind}
}

func newCloud(w *world) *cloud {
	c := &cloud{w: w, server: machinestest.New(clock.RealClock{}), surges: map[string]int{}, comes: 30 * time.Second, goes: 20 * time.Second}
	c.server.Serve(kindOf("Machine"), kindOf("MachineSet"))
	set := object("MachineSet", "workers")
	_ = unstructured.SetNestedField(set.Object, int64(0), "spec", "replicas")
	c.server.Put(set)
	c.server.Wrote = c.wrote
	c.server.Fault = func(verb string, _ schema.GroupVersionKind, name string) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.failing && (verb != "get" || len(name)%2 == 0) {
			return drainertest.ServerDown()
		}
		return nil
	}
	return c
}

func object(kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kindOf(kind))
	o.SetNamespace(machinesNamespace)
	o.SetName(name)
	return o
}

// of is the client of a process, which does nothing once that is dead.
func (c *cloud) of(r *replica) dynamic.Interface { return mortal{c.server, r} }

type mortal struct {
	dynamic.Interface
	r *replica
}

func (m mortal) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return mortalResource{m.Interface.Resource(resource), m.r}
}

type mortalResource struct {
	dynamic.NamespaceableResourceInterface
	r *replica
}

func (m mortalResource) Namespace(namespace string) dynamic.ResourceInterface {
	return mortalObjects{m.NamespaceableResourceInterface.Namespace(namespace), m.r}
}

type mortalObjects struct {
	dynamic.ResourceInterface
	r *replica
}

func (m mortalObjects) Update(ctx context.Context, o *unstructured.Unstructured, options metav1.UpdateOptions, sub ...string) (*unstructured.Unstructured, error) {
	if m.r.dies("update") {
		return nil, errDead
	}
	return m.ResourceInterface.Update(ctx, o, options, sub...)
}

func (m mortalObjects) Delete(ctx context.Context, name string, options metav1.DeleteOptions, sub ...string) error {
	if m.r.dies("delete") {
		return errDead
	}
	return m.ResourceInterface.Delete(ctx, name, options, sub...)
}

// worker adds a node with a machine.
func (c *cloud) worker() string {
	set := c.set()
	c.mu.Lock()
	c.wanted++
	_ = unstructured.SetNestedField(set.Object, replicasOf(set)+1, "spec", "replicas")
	c.mu.Unlock()
	c.server.Put(set)
	return c.join(c.add(set))
}

func (c *cloud) set() *unstructured.Unstructured { return c.server.All("MachineSet")[0] }

func replicasOf(set *unstructured.Unstructured) int64 {
	count, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	return count
}

func (c *cloud) add(set *unstructured.Unstructured) *unstructured.Unstructured {
	c.mu.Lock()
	c.made++
	machine := object("Machine", fmt.Sprintf("m-%02d", c.made))
	c.mu.Unlock()
	machine.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: set.GetAPIVersion(), Kind: set.GetKind(), Name: set.GetName(), UID: set.GetUID(), Controller: new(true),
	}})
	_ = unstructured.SetNestedField(machine.Object, "aws:///eu/i-"+machine.GetName(), "spec", "providerID")
	return c.server.Put(machine)
}

// join makes a node of a machine.
func (c *cloud) join(machine *unstructured.Unstructured) (node string) {
	node = "n-" + machine.GetName()
	uid := node + "-uid"
	c.w.Add(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID(uid), Labels: map[string]string{"pool": "web"}},
		Spec:       corev1.NodeSpec{ProviderID: "aws:///eu/i-" + machine.GetName()},
		Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{BootID: "boot-0"}, Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now().Rfc3339Copy(),
		}}},
	})
	machine = c.now(machine)
	_ = unstructured.SetNestedMap(machine.Object, map[string]any{"name": node, "uid": uid}, "status", "nodeRef")
	c.server.Put(machine)
	return node
}

func nodeOf(machine *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(machine.Object, "status", "nodeRef", "name")
	return name
}

// live has the controllers work.
func (c *cloud) live() {
	set := c.set()
	var live []*unstructured.Unstructured
	for _, machine := range c.server.All("Machine") {
		deleted := machine.GetDeletionTimestamp()
		switch {
		case deleted != nil && time.Since(deleted.Time) >= c.goes:
			c.vanish(machine)
		case deleted != nil:
		default:
			live = append(live, machine)
			c.grow(machine)
		}
	}
	switch surplus := int64(len(live)) - replicasOf(set); {
	case surplus < 0:
		c.add(set)
	case surplus > 0:
		c.take(live)
	}
}

// grow makes a node of a machine that is old enough.
func (c *cloud) grow(machine *unstructured.Unstructured) {
	c.mu.Lock()
	broken := c.broken
	c.mu.Unlock()
	created := machine.GetCreationTimestamp()
	if nodeOf(machine) == "" && !broken && time.Since(created.Time) >= c.comes {
		c.join(machine)
	}
}

// now is a machine as it is now: a process may have marked it since it was listed.
func (c *cloud) now(machine *unstructured.Unstructured) *unstructured.Unstructured {
	for _, stored := range c.server.All("Machine") {
		if stored.GetName() == machine.GetName() {
			return stored
		}
	}
	return machine
}

// vanish takes a machine away with its node.
func (c *cloud) vanish(machine *unstructured.Unstructured) {
	c.server.Remove(machine)
	if node := drainertest.Get[*corev1.Node](c.w.Server, "", nodeOf(machine)); node != nil {
		c.w.Remove(node)
	}
}

// take has the set delete a machine: a marked one first, then the youngest.
func (c *cloud) take(live []*unstructured.Unstructured) {
	slices.SortFunc(live, func(a, b *unstructured.Unstructured) int { return strings.Compare(b.GetName(), a.GetName()) })
	victim := live[0]
	for _, machine := range live {
		if _, marked := machine.GetAnnotations()[deleteMark]; marked {
			victim = machine
			break
		}
	}
	c.wantEmpty(victim, "the set")
	victim.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	c.server.Put(victim)
}

// wrote checks a write of a process.
func (c *cloud) wrote(before, after *unstructured.Unstructured) {
	switch {
	case after.GetKind() == "Machine" && after.GetDeletionTimestamp() != nil && before.GetDeletionTimestamp() == nil:
		c.wantEmpty(after, "the engine")
	case after.GetKind() == "MachineSet":
		c.wantOnce(before, after)
	}
}

// wantOnce wants a machine to be added for an event once at most, and never one to be missing.
func (c *cloud) wantOnce(before, after *unstructured.Unstructured) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := replicasOf(after); got < c.wanted {
		c.w.t.Errorf("the set is to have %d machines, want %d at least", got, c.wanted)
	}
	if replicasOf(after) <= replicasOf(before) {
		return
	}
	for _, uid := range surgedFor(after) {
		if slices.Contains(surgedFor(before), uid) {
			continue
		}
		if c.surges[uid]++; c.surges[uid] > 1 {
			c.w.t.Errorf("a machine was added %d times for event %s", c.surges[uid], uid)
		}
	}
}

func surgedFor(set *unstructured.Unstructured) []string {
	return strings.FieldsFunc(set.GetAnnotations()[v1beta1.SurgeAnnotation], func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
}

// story tells how far all replacements are, for an error.
func (c *cloud) story() (story string) {
	story = fmt.Sprintf("set: %d %v\n", replicasOf(c.set()), c.set().GetAnnotations())
	for _, machine := range c.server.All("Machine") {
		story += fmt.Sprintf("%s created %s deleted %v %v\n", machine.GetName(), machine.GetCreationTimestamp().UTC(), machine.GetDeletionTimestamp(), machine.GetAnnotations())
	}
	for _, event := range drainertest.All[*v1beta1.ScheduledEvent](c.w.Store) {
		if r := event.Status.Replacement; r != nil {
			story += fmt.Sprintf("%s (%s) %s: %s since %s of %s, new %s\n", event.Name, event.UID, event.Status.Phase, r.Step, r.StepTime, r.Machine.Name, r.NewMachine)
		}
	}
	return story
}

// wantEmpty wants a machine that is taken away to have an empty node, if it has one that is no surplus. An event that has given
// up leaves the machine to another one, whose hold says that then.
func (c *cloud) wantEmpty(machine *unstructured.Unstructured, by string) {
	c.w.Locked(func() {
		for _, event := range drainertest.All[*v1beta1.ScheduledEvent](c.w.Store) {
			r := event.Status.Replacement
			if r == nil || r.Machine.UID != machine.GetUID() || r.Step == v1beta1.StepGivenUp || event.Status.EndTime != nil {
				continue
			}
			hold := drainertest.Find[*v1beta1.NodeMaintenance](c.w.Store, "", event.Status.Maintenance)
			if drainertest.Find[*corev1.Node](c.w.Store, "", event.Status.NodeName) != nil && !isEmpty(hold) {
				c.w.t.Errorf("%s: %s takes machine %s (%v) away before its node is empty: %+v\n%s",
					time.Now().UTC(), by, machine.GetName(), machine.GetAnnotations(), hold, c.story())
			}
		}
	})
}
