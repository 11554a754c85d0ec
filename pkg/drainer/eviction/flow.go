// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// Each eviction updates the status of the pod's budget. The API server reads the budget, changes it,
// and writes it back. If another write came in between, it waits half a second and tries again, up to
// 20 times (EvictionsRetry in kube-apiserver). So a budget lets pods go fastest if its evictions are
// posted a short time apart, and if those that wait out their half second hold back nobody.
const (
	// firstUsual is how long an eviction that meets no other write is taken to last at first.
	firstUsual = 50 * time.Millisecond
	// leastGap and mostGap bound the time between two evictions.
	leastGap, mostGap = 20 * time.Millisecond, 250 * time.Millisecond
	// undisturbed is the longest answer that is taken to have met no other write.
	undisturbed = 400 * time.Millisecond
	// throttledPause is how long nothing is posted after the API server had too much to do,
	// unless it asks for longer itself.
	throttledPause = time.Second
)

// flows are the evictions under way of each budget.
type flows map[types.NamespacedName]*flow

// flow paces the evictions of one budget.
type flow struct {
	// posted are the evictions under way.
	posted map[types.UID]post
	// most is how many may be under way. Each success adds one. Any other answer sets it back to 1.
	most int
	// usual is how long an eviction takes that meets no other write, as measured.
	usual time.Duration
}

// post is one eviction under way: of which pod, and since when.
type post struct {
	pod string
	at  time.Time
}

func newFlow() *flow { return &flow{posted: map[types.UID]post{}, most: 1, usual: firstUsual} }

// gap is how long after one eviction the next may be posted, unless the budget's status shows the
// first before. The update is about the first half of an eviction.
func (f *flow) gap() time.Duration { return min(max(f.usual/2, leastGap), mostGap) }

// free says whether another eviction of the budget may be posted now. If time alone will tell,
// retry is when. updated says whether the budget's status shows the eviction of a pod.
func (f *flow) free(updated func(pod string) bool, now time.Time) (free bool, retry time.Time) {
	if f == nil {
		return true, time.Time{}
	}
	if len(f.posted) >= f.most {
		return false, time.Time{}
	}
	for _, p := range f.posted {
		if end := p.at.Add(f.gap()); now.Before(end) && !updated(p.pod) {
			retry = due.Earlier(retry, end)
		}
	}
	return retry.IsZero(), retry
}

func (f flows) begin(budget types.NamespacedName, pod *corev1.Pod, now time.Time) {
	if f[budget] == nil {
		f[budget] = newFlow()
	}
	f[budget].posted[pod.UID] = post{pod: pod.Name, at: now}
}

// end takes in the answer to the eviction of the pod. limit is how many requests may be under way in all.
func (f flows) end(budget types.NamespacedName, pod *corev1.Pod, a Answer, now time.Time, limit int) {
	known := f[budget]
	took := now.Sub(known.posted[pod.UID].at)
	delete(known.posted, pod.UID)
	if a.Outcome == Evicted && took <= undisturbed {
		known.usual = (4*known.usual + took) / 5
	}
	if a.Outcome == Evicted {
		known.most = min(known.most+1, limit)
	} else {
		known.most = 1
	}
	if len(known.posted) == 0 && known.most == 1 {
		delete(f, budget)
	}
}

// window bounds the requests under way. It halves when the API server says that it has too
// much to do, and grows by one with each request that goes through.
type window struct {
	size, most  int
	pausedUntil time.Time
}

func newWindow(most int) window { return window{size: most, most: most} }

// take adapts the window to the answer to a request.
func (w *window) take(a Answer, now time.Time) {
	switch {
	case a.Outcome == Evicted:
		w.size = min(w.size+1, w.most)
	case a.Outcome == Throttled && !now.Before(w.pausedUntil):
		// All that were under way are refused at about the same time: that counts once.
		w.size = max(w.size/2, 1)
		w.pausedUntil = now.Add(max(throttledPause, a.retryAfter))
	}
}
