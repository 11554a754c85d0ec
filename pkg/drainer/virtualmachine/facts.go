// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// facts are what is known at one moment.
type facts struct {
	machines map[types.NamespacedName]*machine
	// moves are the migrations of each machine that count.
	moves map[types.NamespacedName]moves
	// leaving counts the migrations that run, by the node that they leave, and running counts all.
	leaving map[string]int64
	running int64
	limits  limits
}

func newFacts(machines []*machine, migrations []*migration) facts {
	f := facts{
		machines: map[types.NamespacedName]*machine{}, moves: map[types.NamespacedName]moves{}, leaving: map[string]int64{},
	}
	for _, m := range machines {
		f.machines[types.NamespacedName{Namespace: m.Namespace, Name: m.Name}] = m
		f.limits = f.limits.newer(m.limits)
	}
	for _, m := range migrations {
		f.moves[m.of()] = f.moves[m.of()].with(m)
		f.count(m)
	}
	return f
}

func (f *facts) count(m *migration) {
	if m.ended() || m.waits() {
		return
	}
	f.running++
	if of := f.machines[m.of()]; of != nil {
		f.leaving[of.node]++
	}
}

// states says what becomes of the machines of the pods on the node. Migrations that failed before since do
// not count.
func (f facts) states(node string, pods []*corev1.Pod, since time.Time) States {
	found := States{}
	for _, pod := range pods {
		if !IsLauncher(pod) {
			continue
		}
		if state := f.state(node, pod, since); state.Phase != Unknown {
			found[pod.UID] = state
		}
	}
	return found
}

// state says what becomes of the machine of one pod on the node.
func (f facts) state(node string, pod *corev1.Pod, since time.Time) State {
	name, uid := machineOf(pod)
	of := f.machines[name]
	if of == nil || of.UID != uid {
		return State{}
	}
	state := f.explain(node, of, f.moves[name].current, f.moves[name].failed(since))
	state.Object = machineKind + "/" + name.String()
	return state
}
