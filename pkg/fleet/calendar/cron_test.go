// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"strings"
	"testing"
)

func TestParseCron(t *testing.T) {
	for name, tc := range map[string]struct {
		expr       string
		wantStarts int
		wantFirst  TimeOfDay
		wantLast   TimeOfDay
		// wantDays are those of the week from Sunday, November 1 to Saturday, November 7, 2026.
		wantDays string
		wantBoth bool
	}{
		"each minute":                     {expr: "* * * * *", wantStarts: 1440, wantLast: 1439, wantDays: "SMTWTFS"},
		"Fridays":                         {expr: "0 20 * * 5", wantStarts: 1, wantFirst: 1200, wantLast: 1200, wantDays: "-----F-"},
		"by name":                         {expr: "0 20 * nov FRI", wantStarts: 1, wantFirst: 1200, wantLast: 1200, wantDays: "-----F-"},
		"another month":                   {expr: "0 20 * dec *", wantStarts: 1, wantFirst: 1200, wantLast: 1200, wantDays: "-------"},
		"lists":                           {expr: "5,35 1,3 1,7 * *", wantStarts: 4, wantFirst: 65, wantLast: 215, wantDays: "S-----S"},
		"steps":                           {expr: "*/15 8-18/2 1-7/3 * *", wantStarts: 24, wantFirst: 480, wantLast: 1125, wantDays: "S--W--S"},
		"Sunday is 0":                     {expr: "0 0 * * 0", wantStarts: 1, wantDays: "S------"},
		"Sunday is 7":                     {expr: "0 0 * * 7", wantStarts: 1, wantDays: "S------"},
		"the weekend":                     {expr: "0 0 * * 6-7", wantStarts: 1, wantDays: "S-----S"},
		"Friday to Sunday":                {expr: "0 0 * * fri-sun", wantStarts: 1, wantDays: "S----FS"},
		"all days, by range":              {expr: "0 0 * * 0-7", wantStarts: 1, wantDays: "SMTWTFS"},
		"every second weekday has Sunday": {expr: "0 0 * * */2", wantStarts: 1, wantDays: "S-T-T-S"},
		"both days":                       {expr: "0 0 3 * 5", wantStarts: 1, wantDays: "--T--F-", wantBoth: true},
		"a step restricts":                {expr: "0 0 */2 * 1", wantStarts: 1, wantDays: "SMT-T-S", wantBoth: true},
		"a day that no month has":         {expr: "0 0 30 2 *", wantStarts: 1, wantDays: "-------"},
		"more space":                      {expr: " 0\t0  * * * ", wantStarts: 1, wantDays: "SMTWTFS"},
	} {
		t.Run(name, func(t *testing.T) {
			cron, err := ParseCron(tc.expr)
			if err != nil {
				t.Fatal(err)
			}
			starts := cron.starts()
			if len(starts) != tc.wantStarts || starts[0] != tc.wantFirst || starts[len(starts)-1] != tc.wantLast {
				t.Errorf("starts at %v, want %d from %d to %d", starts, tc.wantStarts, tc.wantFirst, tc.wantLast)
			}
			if got := weekOf(cron); got != tc.wantDays {
				t.Errorf("matches %s, want %s", got, tc.wantDays)
			}
			if got := cron.BothDays(); got != tc.wantBoth {
				t.Errorf("BothDays() = %v, want %v", got, tc.wantBoth)
			}
		})
	}
}

// weekOf shows which days of the first week of November 2026 an expression matches.
func weekOf(cron Cron) string {
	letters := []byte("SMTWTFS")
	for i := range letters {
		if !cron.matchesDay(dayOf(2026, 11, 1+i)) {
			letters[i] = '-'
		}
	}
	return string(letters)
}

func TestParseCronRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ expr, want string }{
		"nothing":           {"", "has 0 fields: use five"},
		"seconds":           {"0 0 22 * * 5", "has 6 fields: use five, minute, hour"},
		"a macro":           {"@daily", `"@daily" is not one of five fields`},
		"an interval":       {"@every 5m", "is not one of five fields"},
		"a zone":            {"TZ=UTC 0 0 * * *", "set the schedule's timeZone"},
		"cron's zone":       {"CRON_TZ=UTC 0 0 * * *", "set the schedule's timeZone"},
		"too long":          {strings.Repeat("0,", 200) + "0 * * * *", "is 409 bytes long: use at most 256"},
		"minute 60":         {"60 * * * *", `minute "60": "60" is not possible: use * or 0 to 59`},
		"hour 24":           {"0 24 * * *", `hour "24": "24" is not possible: use * or 0 to 23`},
		"day 0":             {"0 0 0 * *", `day of the month "0": "0" is not possible: use * or 1 to 31`},
		"month 13":          {"0 0 1 13 *", `month "13": "13" is not possible: use * or 1 to 12, or jan to dec`},
		"weekday 8":         {"0 0 * * 8", `day of the week "8": "8" is not possible: use * or 0 to 7, or sun to sat`},
		"a whole name":      {"0 0 * * friday", "use * or 0 to 7, or sun to sat"},
		"backwards":         {"0 22-4 * * *", "the range 22-4 ends before it begins: use 22-23,0-4"},
		"days backwards":    {"0 0 * * fri-mon", "use 5-6,0-1"},
		"step of a number":  {"5/15 * * * *", "a step needs * or a range before it, such as 0-59/15"},
		"step 0":            {"*/0 * * * *", `the step "0" is not possible: use 1 to 59`},
		"step too long":     {"*/60 * * * *", `the step "60" is not possible: use 1 to 59`},
		"no step":           {"*/ * * * *", `the step "" is not possible`},
		"two steps":         {"*/2/3 * * * *", `the step "2/3" is not possible`},
		"an empty element":  {"1,,2 * * * *", `minute "1,,2": "" is not possible`},
		"no first":          {"-5 * * * *", `"" is not possible`},
		"three ends":        {"1-2-3 * * * *", `"2-3" is not possible`},
		"a sign":            {"+5 * * * *", `"+5" is not possible`},
		"a star in a range": {"*-5 * * * *", `"*" is not possible`},
		"a question mark":   {"0 0 ? * 5", `"?" is not possible`},
		"the last day":      {"0 0 L * *", `"L" is not possible`},
		"the third Friday":  {"0 0 * * FRI#3", `"FRI#3" is not possible`},
		"digits of others":  {"٣ * * * *", `"٣" is not possible`},
		"a huge number":     {"99999999999999999999 * * * *", "is not possible: use * or 0 to 59"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseCron(tc.expr)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("ParseCron(%q) = %v, want %q", tc.expr, err, tc.want)
			}
		})
	}
}
