// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"
	"time"
)

// Demo returns a small workload of every kind in namespace demo, sized so that
// each of the nodes has a few pods and a drain has something to wait for.
func (c *Cluster) Demo(nodes int) *Workload {
	nodes = max(nodes, 1)
	return c.Workload("demo").
		Deployment("web", 3*nodes).
		Budget("web", MaxUnavailable("25%")).
		StatefulSet("db", min(3, nodes), TerminationDelay(2*time.Second)).
		Budget("db", MaxUnavailable("1")).
		DaemonSet("log-agent").
		Job("batch", min(2, nodes), CompleteAfter(10*time.Minute)).
		Pod("toolbox")
}

// Load says how many objects of each kind a workload for measurements has.
type Load struct {
	Deployments, StatefulSets, DaemonSets, Jobs, Pods int
	// MirrorPods is how many there are on each node.
	MirrorPods int
	// Replicas is how many pods each Deployment, StatefulSet and Job has.
	Replicas int
	// MaxUnavailable is the disruption budget of each Deployment and StatefulSet;
	// none if empty.
	MaxUnavailable string
}

// Empty reports whether there is nothing to apply.
func (l Load) Empty() bool {
	return l.Deployments+l.StatefulSets+l.DaemonSets+l.Jobs+l.Pods+l.MirrorPods == 0
}

// Load returns a workload of many like objects in namespace load, for nodes named
// node-1 and so on.
func (c *Cluster) Load(nodes int, load Load) *Workload {
	w := c.Workload("load")
	for i := range load.Deployments {
		name := fmt.Sprintf("deployment-%d", i+1)
		w.Deployment(name, load.Replicas).loadBudget(name, load)
	}
	for i := range load.StatefulSets {
		name := fmt.Sprintf("statefulset-%d", i+1)
		w.StatefulSet(name, load.Replicas).loadBudget(name, load)
	}
	for i := range load.DaemonSets {
		w.DaemonSet(fmt.Sprintf("daemonset-%d", i+1))
	}
	for i := range load.Jobs {
		w.Job(fmt.Sprintf("job-%d", i+1), load.Replicas)
	}
	for i := range load.Pods {
		w.Pod(fmt.Sprintf("pod-%d", i+1))
	}
	for i := range load.MirrorPods * nodes {
		w.MirrorPod(fmt.Sprintf("static-%d", i/nodes+1), fmt.Sprintf("node-%d", i%nodes+1))
	}
	return w
}

func (w *Workload) loadBudget(app string, load Load) {
	if load.MaxUnavailable != "" {
		w.Budget(app, MaxUnavailable(load.MaxUnavailable))
	}
}
