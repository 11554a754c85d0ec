// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

// verdict is what the check says on nodes of a profile that have such pods, as far as other nodes matter: it is the same for
// all of them, since none of them is in another one's way.
type verdict struct {
	// first says that there is a node without such pods, which goes first.
	first bool
	// unknown says that there may be one.
	unknown bool
}

// verdicts are those of all profiles that want the check. The caller holds the lock.
func (w *Watcher) verdicts() map[string]verdict {
	verdicts := map[string]verdict{}
	for profile, nodes := range w.candidates {
		var v verdict
		for _, node := range nodes {
			pods, known := w.pods[node]
			v.unknown = v.unknown || !known
			v.first = v.first || known && !pods.Prefers
		}
		v.unknown = v.unknown && !v.first
		verdicts[profile] = v
	}
	return verdicts
}

// wakeup is a profile that is to be evaluated on a node.
type wakeup struct{ profile, node string }

// flipped are the nodes of the profiles whose verdict is another one than before. The caller holds the lock.
func (w *Watcher) flipped(before map[string]verdict) []wakeup {
	var woken []wakeup
	for profile, now := range w.verdicts() {
		if was, known := before[profile]; known && was == now {
			continue
		}
		for node := range w.wanting[profile] {
			woken = append(woken, wakeup{profile, node})
		}
	}
	return woken
}

// own are the profiles that want to know of a node itself. The caller holds the lock.
func (w *Watcher) own(node string) []wakeup {
	var woken []wakeup
	for profile, nodes := range w.wanting {
		if nodes[node] {
			woken = append(woken, wakeup{profile, node})
		}
	}
	return woken
}

func (w *Watcher) wakeAll(woken []wakeup) {
	told := map[wakeup]bool{}
	for _, up := range woken {
		if !told[up] {
			told[up] = true
			w.Wake(up.profile, up.node)
		}
	}
}
