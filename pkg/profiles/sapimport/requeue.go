// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"math"
	"regexp"
	"time"
)

// The bounds of how often a server is asked.
const (
	leastInterval = 5
	mostInterval  = 24 * 60 * 60
)

// requeue is how often the controller looks at a node, and so asks servers.
type requeue struct {
	// seconds is nil if it is not set, or no duration.
	seconds *int64
	// asks says that a check asks a server.
	asks bool
}

// interval is how often a check asks a server; nil: as often as this server does if nothing is said.
func (r *requeue) interval() *int64 {
	r.asks = true
	return r.seconds
}

var onlyDigits = regexp.MustCompile(`^[0-9]+$`)

// readRequeue reads intervals.requeue. The controller takes a number for seconds.
func readRequeue(intervals *block) requeue {
	text := intervals.text("requeue", optional)
	if onlyDigits.MatchString(text) {
		text += "s"
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		return requeue{}
	}
	seconds := int64(min(max(math.Ceil(duration.Seconds()), leastInterval), mostInterval))
	return requeue{seconds: &seconds}
}

// tell reports what became of intervals.requeue, once all checks are known.
func (r *requeue) tell(intervals *block) {
	switch {
	case intervals == nil || intervals.find("requeue") == nil:
	case r.asks && r.seconds != nil:
		intervals.say("requeue", Changed, "how often checks ask Prometheus and Kubernikus; nothing else is evaluated because time is over")
	default:
		intervals.say("requeue", Dropped, "nothing is evaluated because time is over: changes wake the profiles that ask for them")
	}
}
