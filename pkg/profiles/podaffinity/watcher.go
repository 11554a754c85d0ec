// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

import (
	"context"
	"maps"
	"sync"

	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// Config is what a Watcher is made from. All fields are required.
type Config struct {
	// Client reads pods.
	Client kubernetes.Interface
	// Candidates returns the nodes on which a profile is MaintenanceRequired.
	Candidates func(profile string) []string
	// Wake has the profile evaluated again on a node, since the check may now say something else there. It is called
	// without locks, and must not wait.
	Wake func(profile, node string)
}

// Watcher knows which nodes have pods that prefer nodes that are operational.
type Watcher struct {
	Config
	// moved says that other nodes may have to be watched.
	moved workloop.Bell

	mu sync.Mutex
	// wanting are the nodes, by profile, whose evaluation wants the check.
	wanting map[string]map[string]bool
	// candidates are the nodes of each of these profiles that are watched.
	candidates map[string][]string
	// watches are the nodes that are watched.
	watches map[string]*nodeWatch
	// pods is what is known. It is replaced when it changes, since evaluations read it without a lock.
	pods map[string]evaluation.PodAffinity
}

// New returns a watcher that watches nothing before Run.
func New(config Config) *Watcher {
	return &Watcher{
		Config: config, moved: workloop.NewBell(), wanting: map[string]map[string]bool{},
		candidates: map[string][]string{}, watches: map[string]*nodeWatch{}, pods: map[string]evaluation.PodAffinity{},
	}
}

// Run watches what is wanted, until ctx is done. It returns once everything that it has started has ended. It is to be
// called once.
func (w *Watcher) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		w.follow(ctx, &running)
		select {
		case <-ctx.Done():
			return
		case <-w.moved:
		}
	}
}

// Want says whether an evaluation of a profile on a node wants the check. It is to be called after each evaluation, and with
// false for a NodeProfile that is gone. If the pods of the node became known before it is wanted, the evaluation may not
// have seen them: then there is another one.
func (w *Watcher) Want(profile, node string, wants bool) {
	if w.want(profile, node, wants) {
		w.Wake(profile, node)
	}
}

// want takes note of it, and says whether the evaluation may have missed something.
func (w *Watcher) want(profile, node string, wants bool) (missed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	nodes := w.wanting[profile]
	if nodes[node] == wants {
		return false
	}
	if wants && nodes == nil {
		nodes = map[string]bool{}
		w.wanting[profile] = nodes
		w.wake()
	}
	if wants {
		nodes[node] = true
		_, missed = w.pods[node]
		return missed
	}
	if delete(nodes, node); len(nodes) == 0 {
		delete(w.wanting, profile)
		w.wake()
	}
	return false
}

// Moved says that a node has become MaintenanceRequired for a profile, or is it no more.
func (w *Watcher) Moved(profile string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wanting[profile] != nil {
		w.wake()
	}
}

// wake has Run look again.
func (w *Watcher) wake() { w.moved.Ring() }

// Pods is what is known now, for evaluation.Facts. It does not change, and must not be changed. Nodes whose pods are not
// known yet are missing.
func (w *Watcher) Pods() map[string]evaluation.PodAffinity {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pods
}

// set takes note of the pods of a node. The caller holds the lock.
func (w *Watcher) set(node string, pods *evaluation.PodAffinity) {
	w.pods = maps.Clone(w.pods)
	if pods == nil {
		delete(w.pods, node)
		return
	}
	w.pods[node] = *pods
}
