// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func FuzzParseCron(f *testing.F) {
	for _, expr := range []string{"0 22 * * 5", "*/15 8-18/2 1,15 jan-mar fri-sun", "0 0 30 2 *", "@daily", "1-2-3 / , * *"} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		cron, err := ParseCron(expr)
		if err == nil && len(cron.starts()) == 0 {
			t.Errorf("%q is accepted, and matches no time of day", expr)
		}
	})
}

// FuzzCompile checks what holds for each schedule: the next start is one, and is not in the past.
func FuzzCompile(f *testing.F) {
	f.Add("Europe/Berlin", "22:00", "04:00", "0 20 * * 5", int64(28800), int64(1800), "12-20", "01-02", int64(1774746000))
	f.Add("Pacific/Apia", "00:00", "00:00", "*/7 * 30 12 *", int64(300), int64(0), "02-29", "02-29", int64(1325224800))
	f.Fuzz(func(t *testing.T, zone, start, end, expr string, length, lastStart int64, from, until string, now int64) {
		c, err := Compile(&v1beta1.PolicySchedule{
			TimeZone: zone, LastStartSeconds: lastStart,
			Windows: windows(weeklyWindow("w", start, end, "Sun", "Wed"), cronWindow("c", expr, length)),
			Freezes: []v1beta1.PolicyFreeze{everyYear("f", from, until)},
		})
		if err != nil {
			return
		}
		at := time.Unix(now%(1<<33), 0)
		next := c.NextStart(at)
		if !next.IsZero() && (next.Before(at) || !c.At(next).MayStart) {
			t.Errorf("NextStart(%s) = %s, when the state is %+v", at, next, c.At(next))
		}
		if until := c.At(at).Until; !until.IsZero() && !until.After(at) {
			t.Errorf("At(%s) changes at %s", at, until)
		}
	})
}
