// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// benchmarked are usual schedules, and those that take longest.
func benchmarked(b *testing.B) map[string]*Calendar {
	var full []v1beta1.PolicyWindow
	var freezes []v1beta1.PolicyFreeze
	for i := range 16 {
		full = append(full, cronWindow(fmt.Sprint("w", i), fmt.Sprintf("%d 20 * * %d", i, i%7), 28800))
	}
	for i := range 64 {
		freezes = append(freezes, everyYear(fmt.Sprint("f", i), fmt.Sprintf("%02d-01", i%12+1), fmt.Sprintf("%02d-02", i%12+1)))
	}
	return map[string]*Calendar{
		"always":  compiled(b, "", 0, nil),
		"nights":  compiled(b, "Europe/Berlin", 1800, windows(weeklyWindow("w", "22:00", "04:00"))),
		"full":    compiled(b, "Europe/Berlin", 1800, full, freezes...),
		"never":   compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "0 0 30 2 *", 300))),
		"daily":   compiled(b, "Europe/Berlin", 0, windows(weeklyWindow("w", "00:00", "00:00"))),
		"minute":  compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "* * * * *", 300))),
		"worst":   worst(b),
		"chained": chained(b),
		"frozen":  compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "*/6 * * * *", 300)), freeze(cronWindow("f", "*/6 * * * *", 300))),
	}
}

// worst is as large as a schedule may be, and takes longest: two freezes that take turns all day, 14 more windows and 62
// more freezes whose times never come.
func worst(t testing.TB) *Calendar {
	ws := windows(cronWindow("w0", "*/12 * * * *", 300), cronWindow("w1", "6-59/12 * * * *", 300))
	for i := range 14 {
		ws = append(ws, cronWindow(fmt.Sprint("never", i), "0 0 30 2 *", MaxDurationSeconds))
	}
	freezes := []v1beta1.PolicyFreeze{freeze(cronWindow("f0", "*/12 * * * *", 300)), freeze(cronWindow("f1", "6-59/12 * * * *", 300))}
	for i := range 62 {
		freezes = append(freezes, freeze(cronWindow(fmt.Sprint("never", i), "0 0 30 2 *", MaxDurationSeconds)))
	}
	return compiled(t, "Europe/Berlin", 0, ws, freezes...)
}

// chained is a schedule whose freezes have no end in sight, but only together.
func chained(t testing.TB) *Calendar {
	var freezes []v1beta1.PolicyFreeze
	for i := range 64 {
		freezes = append(freezes, freeze(cronWindow(fmt.Sprint("f", i), fmt.Sprintf("%d-59/10 * * * *", i%2*5), 300)))
	}
	return compiled(t, "Europe/Berlin", 0, nil, freezes...)
}

func BenchmarkAt(b *testing.B) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range benchmarked(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.At(now)
			}
		})
	}
}

func BenchmarkNextStart(b *testing.B) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range benchmarked(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.NextStart(now)
			}
		})
	}
}
