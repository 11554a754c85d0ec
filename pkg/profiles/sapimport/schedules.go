// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// schedule translates when a notifier sends. All times are in UTC, as they were.
func (p *plugin) schedule() *v1beta1.NotifierSchedule {
	schedule := p.all.inner("schedule")
	if schedule == nil {
		p.all.say("schedule", Unmapped, "must be set")
		return nil
	}
	defer schedule.done()
	kind := schedule.text("type", required)
	config := schedule.inner("config")
	if config == nil {
		schedule.say("config", Unmapped, "must be set, if only to {}: the controller refuses a schedule without it")
		return nil
	}
	defer config.done()
	switch strings.ToLower(kind) {
	case "periodic":
		return &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{Seconds: set(config.minute("interval", optional))}}
	case "scheduled":
		config.say("instant", Changed, "a state that is entered later on such a day is told of on the next one; the controller sends at once")
		return &v1beta1.NotifierSchedule{Scheduled: &v1beta1.ScheduledSchedule{
			At: config.timeOfDay("instant"), Weekdays: config.weekdays("weekdays", required),
		}}
	case "oneshot":
		return &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: config.delay()}}
	case "":
	default:
		schedule.say("type", Unmapped, "must be periodic, scheduled or oneshot")
	}
	return nil
}

// delay reads how long after a change something is sent. Unlike other durations, it may be 0.
func (b *block) delay() *int64 {
	if text := b.text("delay", optional); text == "0" || text == "0s" {
		zero := int64(0)
		return &zero
	}
	return set(b.seconds("delay", optional, yearSeconds))
}

// set returns nil for 0: the default of both sides is the same.
func set(seconds int64) *int64 {
	if seconds == 0 {
		return nil
	}
	return &seconds
}
