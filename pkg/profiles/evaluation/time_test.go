// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func window(w v1beta1.TimeWindowCheck) v1beta1.ProfileCheck {
	return v1beta1.ProfileCheck{TimeWindow: &w}
}

func TestTimeWindow(t *testing.T) {
	day := window(v1beta1.TimeWindowCheck{Start: "10:30", End: "15:20"})
	night := window(v1beta1.TimeWindowCheck{Start: "22:00", End: "04:00", Weekdays: []v1beta1.Weekday{"Mon"}})
	berlin := func(start, end string) v1beta1.ProfileCheck {
		return window(v1beta1.TimeWindowCheck{Start: start, End: end, TimeZone: "Europe/Berlin"})
	}
	leap := window(v1beta1.TimeWindowCheck{Start: "10:00", End: "11:00", ExcludeDates: []string{"02-29"}})
	holidays := window(v1beta1.TimeWindowCheck{Start: "22:00", End: "04:00", ExcludeDates: []string{"12-24", "2026-12-31"}})
	mondays := window(v1beta1.TimeWindowCheck{Start: "00:00", End: "00:00", Weekdays: []v1beta1.Weekday{"Mon"}})
	asked{
		// The former controller left out the start, and took the end for a part of neither.
		"the start belongs to it": {day, []change{now("2026-11-22T10:30:00Z")}, `True: the window is open until Sun 2026-11-22 15:20 UTC | 2026-11-22T15:20:00Z`},
		"the end does not":        {day, []change{now("2026-11-22T15:20:00Z")}, `False: the window opens Mon 2026-11-23 10:30 UTC | 2026-11-23T10:30:00Z`},
		"just before the end":     {day, []change{now("2026-11-22T15:19:59Z")}, `True: the window is open until Sun 2026-11-22 15:20 UTC | 2026-11-22T15:20:00Z`},
		"before it":               {day, []change{now("2026-11-22T10:29:59Z")}, `False: the window opens Sun 2026-11-22 10:30 UTC | 2026-11-22T10:30:00Z`},
		// The former controller refused a window across midnight.
		"after midnight":           {night, []change{now("2026-11-24T03:59:59Z")}, `True: the window is open until Tue 2026-11-24 04:00 UTC | 2026-11-24T04:00:00Z`},
		"the weekday is its first": {night, []change{now("2026-11-23T03:00:00Z")}, `False: the window opens Mon 2026-11-23 22:00 UTC | 2026-11-23T22:00:00Z`},
		// The former controller never opened a window whose end is its start.
		"a whole day": {mondays, []change{now("2026-11-23T00:00:00Z")}, `True: the window is open until Tue 2026-11-24 00:00 UTC | 2026-11-24T00:00:00Z`},
		"all days":    {window(v1beta1.TimeWindowCheck{Start: "00:00", End: "00:00"}), nil, `True: the window is always open`},

		"another zone":             {berlin("22:00", "04:00"), []change{now("2026-11-22T21:00:00Z")}, `True: the window is open until Mon 2026-11-23 04:00 CET | 2026-11-23T03:00:00Z`},
		"a start that is skipped":  {berlin("02:30", "04:00"), []change{now("2026-03-29T00:59:59Z")}, `False: the window opens Sun 2026-03-29 03:00 CEST | 2026-03-29T01:00:00Z`},
		"a window that is skipped": {berlin("02:00", "03:00"), []change{now("2026-03-29T01:00:00Z")}, `False: the window opens Mon 2026-03-30 02:00 CEST | 2026-03-30T00:00:00Z`},
		"an end that comes twice":  {berlin("02:15", "02:45"), []change{now("2026-10-25T00:30:00Z")}, `True: the window is open until Sun 2026-10-25 02:45 CEST | 2026-10-25T00:45:00Z`},
		"a night that is longer":   {berlin("22:00", "04:00"), []change{now("2026-10-24T20:00:00Z")}, `True: the window is open until Sun 2026-10-25 04:00 CET | 2026-10-25T03:00:00Z`},

		"a day of each year":              {holidays, []change{now("2027-12-24T23:00:00Z")}, `False: the window opens Sat 2027-12-25 22:00 UTC | 2027-12-25T22:00:00Z`},
		"the night before it goes on":     {holidays, []change{now("2026-12-24T03:00:00Z")}, `True: the window is open until Thu 2026-12-24 04:00 UTC | 2026-12-24T04:00:00Z`},
		"a day of one year":               {holidays, []change{now("2026-12-31T23:00:00Z")}, `False: the window opens Fri 2027-01-01 22:00 UTC | 2027-01-01T22:00:00Z`},
		"in another year":                 {holidays, []change{now("2027-12-31T23:00:00Z")}, `True: the window is open until Sat 2028-01-01 04:00 UTC | 2028-01-01T04:00:00Z`},
		"Feb 29":                          {leap, []change{now("2028-02-29T10:30:00Z")}, `False: the window opens Wed 2028-03-01 10:00 UTC | 2028-03-01T10:00:00Z`},
		"Feb 29 does not exclude March 1": {leap, []change{now("2027-03-01T10:30:00Z")}, `True: the window is open until Mon 2027-03-01 11:00 UTC | 2027-03-01T11:00:00Z`},
		"what a newer version has stored": {window(v1beta1.TimeWindowCheck{Start: "24:00", End: "04:00"}), nil, `Error: the check cannot be applied: "24:00" is not a time of day: use HH:MM, from 00:00 to 23:59`},
	}.run(t)
}

// TestWindowThatIsExcludedForMoreThanAYear shows that a window does not stay shut for good if the next year has no day for
// it.
func TestWindowThatIsExcludedForMoreThanAYear(t *testing.T) {
	var mondays []string
	for day := at("2026-11-23T00:00:00Z"); len(mondays) < 64; day = day.AddDate(0, 0, 7) {
		mondays = append(mondays, day.Format("2006-01-02"))
	}
	check := window(v1beta1.TimeWindowCheck{
		Start: "10:00", End: "11:00", Weekdays: []v1beta1.Weekday{"Mon"}, ExcludeDates: mondays,
	})
	want := "False: the window opens Mon 2028-02-14 10:00 UTC | 2028-02-14T10:00:00Z"
	if got := askOne(t, check); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWait(t *testing.T) {
	wait := func(w v1beta1.WaitCheck) v1beta1.ProfileCheck { return v1beta1.ProfileCheck{Wait: &w} }
	minutes := wait(v1beta1.WaitCheck{Seconds: 720})
	// The example of the former controller: from Saturday 10:00, 30 hours without Monday.
	noMonday := wait(v1beta1.WaitCheck{Seconds: 30 * 3600, ExcludeWeekdays: []v1beta1.Weekday{"Mon"}})
	noSunday := func(hours int64) v1beta1.ProfileCheck {
		return wait(v1beta1.WaitCheck{Seconds: hours * 3600, ExcludeWeekdays: []v1beta1.Weekday{"Sun"}, TimeZone: "Europe/Berlin"})
	}
	all := wait(v1beta1.WaitCheck{Seconds: 1, ExcludeWeekdays: []v1beta1.Weekday{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}})
	saturday := since("2026-11-21T10:00:00Z")
	const over = `True: 108000 seconds as MaintenanceRequired were over at 2026-11-22T16:00:00Z`
	asked{
		"not yet":               {minutes, []change{since("2026-11-22T11:50:00Z")}, `False: 720 seconds as MaintenanceRequired will be over at 2026-11-22T12:02:00Z | 2026-11-22T12:02:00Z`},
		"just over":             {minutes, []change{since("2026-11-22T11:48:00Z")}, `True: 720 seconds as MaintenanceRequired were over at 2026-11-22T12:00:00Z`},
		"never entered":         {minutes, nil, `Unknown: the state was not entered yet`},
		"the clock is put back": {minutes, []change{since("2026-11-22T13:00:00Z")}, `False: 720 seconds as MaintenanceRequired will be over at 2026-11-22T13:12:00Z | 2026-11-22T13:12:00Z`},

		// The former controller took an excluded day off twice, so that the check passed, and failed again the day after.
		"an excluded day is counted once: Sunday": {noMonday, []change{saturday, now("2026-11-22T23:00:00Z")}, over},
		"an excluded day is counted once: Monday": {noMonday, []change{saturday, now("2026-11-23T10:00:00Z")}, over},
		"an excluded day is counted once: later":  {noMonday, []change{saturday, now("2026-11-23T17:00:00Z")}, over},
		"it begins on an excluded day": {
			noSunday(1), []change{since("2026-11-22T11:00:00Z")}, // the Sunday ends at 23:00 UTC
			`False: 3600 seconds as MaintenanceRequired will be over at 2026-11-23T00:00:00Z | 2026-11-23T00:00:00Z`,
		},
		"a day of 25 hours is left out as a whole": {
			noSunday(3),
			[]change{since("2026-10-24T20:00:00Z"), now("2026-10-25T20:00:00Z")},
			`False: 10800 seconds as MaintenanceRequired will be over at 2026-10-26T00:00:00Z | 2026-10-26T00:00:00Z`,
		},
		"what a newer version has stored": {all, []change{saturday}, `Error: the check cannot be applied: excludeWeekdays has all days, so the time would never be over`},
	}.run(t)
}

func TestApproval(t *testing.T) {
	one := v1beta1.ProfileCheck{Approval: &v1beta1.ApprovalCheck{}}
	two := v1beta1.ProfileCheck{Approval: &v1beta1.ApprovalCheck{Approvers: new(int32)}}
	*two.Approval.Approvers = 2
	approved := func(by string, until *metav1.Time) change {
		return decided(v1beta1.RecordedDecision{Decision: v1beta1.ProfileApprove, By: by, ExpirationTime: until})
	}
	soon, later := expires("2026-11-22T12:10:00Z"), expires("2026-11-22T12:20:00Z")
	asked{
		"nobody":   {one, nil, `False: 0 of 1 approval`},
		"somebody": {one, []change{approved("alice", nil)}, `True: 1 of 1 approval (alice)`},
		"for another transition": {one, []change{decided(v1beta1.RecordedDecision{
			Decision: v1beta1.ProfileApprove, By: "alice", Transition: "other",
		})}, `False: 0 of 1 approval`},
		"an old approval never opens a later cycle": {one, []change{decided(v1beta1.RecordedDecision{
			Decision: v1beta1.ProfileApprove, By: "alice", Sequence: 1,
		})}, `False: 0 of 1 approval`},
		"a push is no approval": {two, []change{approved("alice", nil), decided(v1beta1.RecordedDecision{
			Decision: v1beta1.ProfilePush, By: "bob", Transition: "other",
		})}, `False: 1 of 2 approvals (alice)`},
		"expired":                        {one, []change{approved("alice", expires("2026-11-22T12:00:00Z"))}, `False: 0 of 1 approval`},
		"going to expire":                {one, []change{approved("alice", soon)}, `True: 1 of 1 approval (alice) | 2026-11-22T12:10:00Z`},
		"one person counts once":         {two, []change{approved("alice", nil), approved("alice", soon)}, `False: 1 of 2 approvals (alice)`},
		"the longer one counts":          {one, []change{approved("alice", soon), approved("alice", later)}, `True: 1 of 1 approval (alice) | 2026-11-22T12:20:00Z`},
		"one is left over":               {one, []change{approved("alice", soon), approved("bob", later)}, `True: 2 of 1 approval (alice, bob) | 2026-11-22T12:10:00Z`},
		"the first that expires matters": {two, []change{approved("bob", later), approved("alice", soon)}, `True: 2 of 2 approvals (alice, bob) | 2026-11-22T12:10:00Z`},
		"enough stay":                    {two, []change{approved("bob", nil), approved("alice", soon), approved("carol", nil)}, `True: 3 of 2 approvals (alice, bob, carol) | 2026-11-22T12:10:00Z`},
	}.run(t)
}
