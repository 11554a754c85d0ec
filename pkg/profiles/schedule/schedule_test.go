// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// on parses a moment in UTC, or one with an offset.
func on(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02 15:04 -0700"} {
		if moment, err := time.Parse(layout, text); err == nil {
			return moment
		}
	}
	panic(text)
}

// in is a status in a state.
func in(
	state v1beta1.ProfileState, sequence int64, since string, made ...v1beta1.NotificationStatus,
) *v1beta1.NodeProfileStatus {
	return &v1beta1.NodeProfileStatus{
		State: state, Sequence: sequence, Since: &metav1.Time{Time: on(since)}, Notifications: made,
	}
}

func made(sequence int64, occasion, at string) v1beta1.NotificationStatus {
	return v1beta1.NotificationStatus{
		Notifier: "chat", Sequence: sequence, Occasion: occasion, Time: metav1.Time{Time: on(at)},
		State: v1beta1.NotificationSent,
	}
}

func waiting(n v1beta1.NotificationStatus) v1beta1.NotificationStatus {
	n.State = v1beta1.NotificationPending
	return n
}

func sibling(made ...v1beta1.NotificationStatus) []*v1beta1.NodeProfile {
	return []*v1beta1.NodeProfile{{Status: v1beta1.NodeProfileStatus{Notifications: made}}}
}

func oneshot(delay int64) *v1beta1.NotifierSchedule {
	return &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: &delay}}
}

func periodic(seconds int64) *v1beta1.NotifierSchedule {
	return &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{Seconds: &seconds}}
}

func daily(at, zone string, days ...v1beta1.Weekday) *v1beta1.NotifierSchedule {
	return &v1beta1.NotifierSchedule{
		Scheduled: &v1beta1.ScheduledSchedule{At: at, Weekdays: days, TimeZone: zone},
	}
}

const (
	operational = v1beta1.ProfileOperational
	required    = v1beta1.ProfileMaintenanceRequired
)

type dueTest struct {
	now      string
	schedule *v1beta1.NotifierSchedule
	node     bool // dedupe Node
	status   *v1beta1.NodeProfileStatus
	siblings []*v1beta1.NodeProfile
	want     string // the occasion
	again    string
}

func (test dueTest) run(t *testing.T) {
	notifier := &v1beta1.ProfileNotifier{Name: "chat", Schedule: test.schedule}
	if test.node {
		notifier.Dedupe = v1beta1.DedupeNode
	}
	want := Verdict{Occasion: test.want}
	if test.again != "" {
		want.Again = on(test.again)
	}
	got, err := Due(on(test.now), notifier, test.status, test.siblings...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDue(t *testing.T) {
	tests := map[string]dueTest{
		"at once, on entering": {
			now: "2026-11-20 12:00", status: in(operational, 1, "2026-11-20 12:00"), want: "1",
		},
		"at once, and made": {
			now: "2026-11-20 12:00", status: in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:00")),
		},
		"at once, made for the state before": {
			now: "2026-11-20 12:00", status: in(required, 3, "2026-11-20 12:00", made(2, "2", "2026-11-20 12:00")), want: "3",
		},
		"no state yet": {
			now: "2026-11-20 12:00", status: &v1beta1.NodeProfileStatus{},
		},
		"oneshot, too early": {
			now: "2026-11-20 12:00:59", schedule: oneshot(60),
			status: in(required, 3, "2026-11-20 12:00"), again: "2026-11-20 12:01",
		},
		"oneshot, by default after a minute": {
			now: "2026-11-20 12:00", schedule: &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{}},
			status: in(required, 3, "2026-11-20 12:00"), again: "2026-11-20 12:01",
		},
		"oneshot, exactly then": {
			now: "2026-11-20 12:01", schedule: oneshot(60), status: in(required, 3, "2026-11-20 12:00"), want: "3",
		},
		"oneshot, days later, after the server was down": {
			now: "2026-11-25 12:01", schedule: oneshot(60), status: in(required, 3, "2026-11-20 12:00"), want: "3",
		},
		"oneshot, made": {
			now: "2026-11-25 12:01", schedule: oneshot(60),
			status: in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:01")),
		},
		"oneshot, the clock was set back": {
			now: "2026-11-20 11:00", schedule: oneshot(60),
			status: in(required, 3, "2026-11-20 12:00"), again: "2026-11-20 12:01",
		},
		"periodic, on entering": {
			now: "2026-11-20 12:00", schedule: periodic(600), status: in(required, 3, "2026-11-20 12:00"),
			want: "3", again: "2026-11-20 12:10",
		},
		"periodic, by default after an hour": {
			now: "2026-11-20 12:00", schedule: &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{}},
			status: in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:00")), again: "2026-11-20 13:00",
		},
		"periodic, again": {
			now: "2026-11-20 12:10", schedule: periodic(600),
			status: in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:00")),
			want:   "3.600", again: "2026-11-20 12:20",
		},
		"periodic, the one before waits": {
			now: "2026-11-20 12:10", schedule: periodic(600),
			status: in(required, 3, "2026-11-20 12:00", waiting(made(3, "3", "2026-11-20 12:00"))),
		},
		"periodic, many missed ones are one": {
			now: "2026-11-21 12:03", schedule: periodic(600),
			status: in(required, 3, "2026-11-20 12:00", made(3, "3.600", "2026-11-20 12:10")),
			want:   "3.86580", again: "2026-11-21 12:13",
		},
		"periodic, a longer period from now on": {
			now: "2026-11-20 13:10", schedule: periodic(86400),
			status: in(required, 3, "2026-11-20 12:00", made(3, "3.3600", "2026-11-20 13:00")), again: "2026-11-21 13:00",
		},
		"periodic, operational is told of": {
			now: "2026-11-20 12:00", schedule: periodic(600), status: in(operational, 1, "2026-11-20 12:00"), want: "1",
		},
		"periodic, operational is not reminded of": {
			now: "2026-11-22 12:00", schedule: periodic(600),
			status: in(operational, 1, "2026-11-20 12:00", made(1, "1", "2026-11-20 12:00")),
		},
		"scheduled, before": {
			now: "2026-11-20 07:59:59", schedule: daily("08:00", ""),
			status: in(required, 3, "2026-11-19 12:00"), again: "2026-11-20 08:00",
		},
		"scheduled, exactly then": {
			now: "2026-11-20 08:00", schedule: daily("08:00", ""), status: in(required, 3, "2026-11-19 12:00"),
			want: "2026-11-20", again: "2026-11-21 08:00",
		},
		"scheduled, in any state": {
			now: "2026-11-20 08:00", schedule: daily("08:00", ""), status: in(operational, 3, "2026-11-19 12:00"),
			want: "2026-11-20", again: "2026-11-21 08:00",
		},
		"scheduled, made": {
			now: "2026-11-20 08:30", schedule: daily("08:00", ""),
			status: in(required, 3, "2026-11-19 12:00", made(3, "2026-11-20", "2026-11-20 08:00")), again: "2026-11-21 08:00",
		},
		"scheduled, made in a state before": {
			now: "2026-11-20 08:30", schedule: daily("08:00", ""),
			status: in(required, 4, "2026-11-20 07:00", made(3, "2026-11-20", "2026-11-20 08:00")), again: "2026-11-21 08:00",
		},
		"scheduled, later the same day, after the server was down": {
			now: "2026-11-20 23:59", schedule: daily("08:00", ""), status: in(required, 3, "2026-11-19 12:00"),
			want: "2026-11-20", again: "2026-11-21 08:00",
		},
		"scheduled, missed on the day before": {
			now: "2026-11-21 00:01", schedule: daily("08:00", ""),
			status: in(required, 3, "2026-11-19 12:00"), again: "2026-11-21 08:00",
		},
		"scheduled, entered later that day": {
			now: "2026-11-20 08:01", schedule: daily("08:00", ""),
			status: in(required, 3, "2026-11-20 08:01"), again: "2026-11-21 08:00",
		},
		"scheduled, not today": { // November 20, 2026 is a Friday
			now: "2026-11-20 08:00", schedule: daily("08:00", "", v1beta1.Tuesday, v1beta1.Thursday),
			status: in(required, 3, "2026-11-19 12:00"), again: "2026-11-24 08:00",
		},
		"scheduled, once a week": {
			now: "2026-11-20 08:30", schedule: daily("08:00", "", v1beta1.Friday),
			status: in(required, 3, "2026-11-19 12:00", made(3, "2026-11-20", "2026-11-20 08:00")), again: "2026-11-27 08:00",
		},
		"scheduled, moved to later on the same day": {
			now: "2026-11-20 10:00", schedule: daily("09:00", ""),
			status: in(required, 3, "2026-11-19 12:00", made(3, "2026-11-20", "2026-11-20 08:00")), again: "2026-11-21 09:00",
		},
		"scheduled, the day of the zone": {
			now: "2026-11-20 23:30", schedule: daily("00:15", "Europe/Berlin", v1beta1.Saturday),
			status: in(required, 3, "2026-11-19 12:00"), want: "2026-11-21", again: "2026-11-28 00:15 +0100",
		},
		"scheduled, when the clock is set forward": {
			now: "2026-03-29 02:00 +0100", schedule: daily("02:30", "Europe/Berlin"),
			status: in(required, 3, "2026-03-28 12:00"), again: "2026-03-29 03:30 +0200",
		},
		"scheduled, when the clock shows it twice": {
			now: "2026-10-25 02:40 +0100", schedule: daily("02:30", "Europe/Berlin"),
			status: in(required, 3, "2026-10-24 12:00", made(3, "2026-10-25", "2026-10-25 02:30 +0200")),
			again:  "2026-10-26 02:30 +0100",
		},
	}
	for name, test := range tests {
		t.Run(name, test.run)
	}
}

func TestDueOncePerNode(t *testing.T) {
	const now = "2026-11-20 12:10"
	status := in(required, 3, "2026-11-20 12:00")
	tests := map[string]dueTest{
		"another profile has told of it": {
			now: now, schedule: oneshot(60), node: true, status: status, siblings: sibling(made(7, "7", "2026-11-20 12:05")),
		},
		"in the same second": {
			now: now, schedule: oneshot(60), node: true, status: status, siblings: sibling(made(7, "7", "2026-11-20 12:00")),
		},
		"before": {
			now: now, schedule: oneshot(60), node: true, status: status,
			siblings: sibling(made(7, "7", "2026-11-20 11:59:59")), want: "3",
		},
		"each profile for itself": {
			now: now, schedule: oneshot(60), status: status, siblings: sibling(made(7, "7", "2026-11-20 12:05")), want: "3",
		},
		"another profile has reminded": {
			now: now, schedule: periodic(600), node: true,
			status:   in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:00")),
			siblings: sibling(made(7, "7.600", "2026-11-20 12:09")), again: "2026-11-20 12:19",
		},
		"another profile has sent today's": {
			now: now, schedule: daily("08:00", ""), node: true, status: in(required, 3, "2026-11-19 12:00"),
			siblings: sibling(made(7, "2026-11-20", "2026-11-20 08:00")), again: "2026-11-21 08:00",
		},
	}
	for name, test := range tests {
		t.Run(name, test.run)
	}
}

// TestDefectsOfSAP has the defects of the SAP maintenance-controller's schedules, which do not exist here.
func TestDefectsOfSAP(t *testing.T) {
	tests := map[string]dueTest{
		"scheduled compares the day of the month alone: nothing was sent on the 1st if nothing was sent before": {
			now: "2026-12-01 08:00", schedule: daily("08:00", ""), status: in(required, 3, "2026-11-19 12:00"),
			want: "2026-12-01", again: "2026-12-02 08:00",
		},
		"scheduled compares the day of the month alone: nothing was sent on the same day of another month": {
			now: "2026-12-20 08:00", schedule: daily("08:00", ""),
			status: in(required, 3, "2026-11-19 12:00", made(3, "2026-11-20", "2026-11-20 08:00")),
			want:   "2026-12-20", again: "2026-12-21 08:00",
		},
		"scheduled knows UTC alone": {
			now: "2026-11-20 07:00", schedule: daily("08:00", "Europe/Berlin"), status: in(required, 3, "2026-11-19 12:00"),
			want: "2026-11-20", again: "2026-11-21 08:00 +0100",
		},
		"two profiles of a node share what a notifier has sent, whether one wants that or not": {
			now: "2026-11-20 12:01", schedule: oneshot(60), status: in(required, 3, "2026-11-20 12:00"),
			siblings: sibling(made(5, "5", "2026-11-20 12:00:30")), want: "3",
		},
		"periodic sends at each evaluation while triggers of enter are retried": {
			now: "2026-11-20 12:00:30", schedule: periodic(600),
			status: in(required, 3, "2026-11-20 12:00", made(3, "3", "2026-11-20 12:00")), again: "2026-11-20 12:10",
		},
		"oneshot sends again when its mark was lost, since another profile failed in the same write": {
			now: "2026-11-20 12:02", schedule: oneshot(60),
			status: in(required, 3, "2026-11-20 12:00", waiting(made(3, "3", "2026-11-20 12:01"))),
		},
	}
	for name, test := range tests {
		t.Run(name, test.run)
	}
}

func TestDueRefuses(t *testing.T) {
	tests := map[string]struct {
		schedule *v1beta1.NotifierSchedule
		want     string
	}{
		"no form":     {schedule: &v1beta1.NotifierSchedule{}, want: "does not know the schedule of the notifier chat"},
		"no zone":     {schedule: daily("08:00", "Berlin"), want: `"Berlin" is not known`},
		"not a clock": {schedule: daily("24:00", ""), want: `"24:00" is not a time of day`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			notifier := &v1beta1.ProfileNotifier{Name: "chat", Schedule: test.schedule}
			_, err := Due(on("2026-11-20 12:00"), notifier, in(required, 1, "2026-11-20 12:00"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestEachOccasionOnce walks through a week by what the schedules say next, and expects that no occasion
// comes twice and that verdicts do not stay behind.
func TestEachOccasionOnce(t *testing.T) {
	for name, schedule := range map[string]*v1beta1.NotifierSchedule{
		"periodic": periodic(3600), "scheduled": daily("02:30", "Europe/Berlin"), "oneshot": oneshot(86400), "at once": nil,
	} {
		t.Run(name, func(t *testing.T) {
			status := in(required, 1, "2026-10-22 12:00")
			notifier := &v1beta1.ProfileNotifier{Name: "chat", Schedule: schedule}
			want := map[string]int{"periodic": 169, "scheduled": 7, "oneshot": 1, "at once": 1}[name]
			occasions := map[string]bool{}
			for now := status.Since.Time; !now.After(status.Since.AddDate(0, 0, 7)); {
				verdict, err := Due(now, notifier, status)
				if err != nil || occasions[verdict.Occasion] {
					t.Fatal(verdict, err)
				}
				if verdict.Occasion != "" {
					occasions[verdict.Occasion] = true
					at := now.UTC().Format("2006-01-02 15:04:05")
					status.Notifications = append(status.Notifications, made(1, verdict.Occasion, at))
					continue // ask again, as the engine does
				}
				if verdict.Again.IsZero() {
					break
				}
				now = verdict.Again
			}
			if len(occasions) != want {
				t.Errorf("%d occasions, want %d: %v", len(occasions), want, occasions)
			}
		})
	}
}
