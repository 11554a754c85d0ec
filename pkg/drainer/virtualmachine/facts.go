// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// facts are what is known at one moment.
type facts struct {
	machines map[types.NamespacedName]*machine
	// newest is the migration of each machine that counts.
	newest map[types.NamespacedName]*migration
	// leaving counts the migrations that run, by the node that they leave, and running counts all.
	leaving map[string]int64
	running int64
	limits  limits
}

func newFacts(machines []*machine, migrations []*migration) facts {
	f := facts{
		machines: map[types.NamespacedName]*machine{}, newest: map[types.NamespacedName]*migration{}, leaving: map[string]int64{},
	}
	for _, m := range machines {
		f.machines[types.NamespacedName{Namespace: m.Namespace, Name: m.Name}] = m
		f.limits.perNode = cmp.Or(f.limits.perNode, m.limits.perNode)
		f.limits.perCluster = cmp.Or(f.limits.perCluster, m.limits.perCluster)
	}
	for _, m := range migrations {
		if m.newer(f.newest[m.of()]) {
			f.newest[m.of()] = m
		}
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

// states says what becomes of the machines of the pods on the node.
func (f facts) states(node string, pods []*corev1.Pod) States {
	found := States{}
	for _, pod := range pods {
		if !IsLauncher(pod) {
			continue
		}
		if state := f.state(node, pod); state.Phase != Unknown {
			found[pod.UID] = state
		}
	}
	return found
}

// state says what becomes of the machine of one pod on the node.
func (f facts) state(node string, pod *corev1.Pod) State {
	name, uid := machineOf(pod)
	of := f.machines[name]
	if of == nil || (uid != "" && of.UID != uid) {
		return State{}
	}
	state := f.explain(node, of, f.newest[name])
	state.Object = machineKind + "/" + name.String()
	return state
}
