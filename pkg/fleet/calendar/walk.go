// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

// walk goes through the time of a union, for one question, from one moment to later ones.
type walk struct {
	union
	*question
	// next has for each rule when it begins next.
	next []coming
}

// coming is the time when a rule begins next, of all moments from one on and before that.
type coming struct{ from, begins int64 }

func newWalk(q *question, u union) walk {
	return walk{union: u, question: q, next: make([]coming, len(u))}
}

// end returns until when the union goes on without a break, or the moment itself if it does not contain the moment. It
// looks no further than the limit, and it may return an earlier moment if the question is cut short.
func (w walk) end(at, limit int64) int64 {
	for {
		end := at
		for _, r := range w.union {
			end = max(end, r.endAfter(w.clock, at))
		}
		w.work -= len(w.union)
		if end == at || end >= limit || w.cut() {
			return end
		}
		at = end
	}
}

// begin returns when the next interval of any rule begins, or never if that is after the limit of the question.
func (w walk) begin(at int64) int64 {
	first := int64(never)
	for i, r := range w.union {
		next := &w.next[i]
		if at < next.from || at >= next.begins {
			*next = coming{from: at, begins: r.beginAfter(w.clock, at, w.limit)}
			w.work--
		}
		first = min(first, next.begins)
	}
	return first
}
