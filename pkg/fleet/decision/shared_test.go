// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func weekly(start, end string, days ...v1beta1.Weekday) *v1beta1.PolicySchedule {
	return &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{
		Name: "week", Weekly: &v1beta1.WeeklyTime{Days: days, Start: start, End: end},
	}}}
}

func cron(expr string, seconds int64) *v1beta1.PolicySchedule {
	return &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{Name: "cron", Cron: expr, DurationSeconds: ptr.To(seconds)}}}
}

// A node of two policies starts when both schedules are open. If they never are, the decision says so, and comes to an end.
func TestSharedOpening(t *testing.T) {
	for name, test := range map[string]struct {
		a, b *v1beta1.PolicySchedule
		// want is the earliest start; zero: none is known.
		want time.Time
	}{
		"at the same time": {weekly("22:00", "04:00"), weekly("23:00", "01:00", "Mon"), time.Date(2026, 11, 23, 23, 0, 0, 0, time.UTC)},
		"one after the other": {
			weekly("22:00", "04:00", "Mon", "Tue"), weekly("20:00", "23:00", "Tue"), time.Date(2026, 11, 24, 22, 0, 0, 0, time.UTC),
		},
		"never on the same day":       {weekly("22:00", "04:00", "Mon", "Tue"), weekly("22:00", "04:00", "Sun"), time.Time{}},
		"never in the same 5 minutes": {cron("*/10 * * * *", 300), cron("5-59/10 * * * *", 300), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			f.policy("a").Schedule, f.policy("b").Schedule = test.a, test.b
			h := f.hold("h", "w-1")
			if got := f.decide().Holds["h"].Earliest; !got.Equal(test.want) {
				t.Errorf("earliest %s, want %s", got, test.want)
			}
			if got := f.decider.Forecast(f.Facts, h).EarliestStartTime; !got.Equal(metaTime(test.want)) {
				t.Errorf("the forecast says %s, want %s", got, test.want)
			}
			if status := f.decider.Preview(f.Facts, f.Policies[1]); status.Waiting != 1 {
				t.Errorf("the preview says that %d wait, want 1", status.Waiting)
			}
		})
	}
}
