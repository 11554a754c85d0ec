// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

import (
	"context"
	"sync"
)

// follow starts and ends watches, so that the candidates of all profiles that want the check are watched, and no other node.
func (w *Watcher) follow(ctx context.Context, running *sync.WaitGroup) {
	candidates := map[string][]string{}
	for _, profile := range w.profiles() {
		candidates[profile] = w.Candidates(profile)
	}
	w.mu.Lock()
	before := w.verdicts()
	w.candidates = candidates
	wanted := nodesOf(candidates)
	for node, watched := range w.watches {
		if !wanted[node] {
			watched.stop()
			delete(w.watches, node)
			w.set(node, nil)
		}
	}
	for node := range wanted {
		if w.watches[node] == nil && ctx.Err() == nil {
			w.watches[node] = w.start(ctx, node, running)
		}
	}
	flipped := w.flipped(before)
	w.mu.Unlock()
	w.wakeAll(flipped)
}

// profiles are those that want the check.
func (w *Watcher) profiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var profiles []string
	for profile := range w.wanting {
		profiles = append(profiles, profile)
	}
	return profiles
}

func nodesOf(candidates map[string][]string) map[string]bool {
	nodes := map[string]bool{}
	for _, names := range candidates {
		for _, node := range names {
			nodes[node] = true
		}
	}
	return nodes
}
