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
		"always": compiled(b, "", 0, nil),
		"nights": compiled(b, "Europe/Berlin", 1800, windows(weeklyWindow("w", "22:00", "04:00"))),
		"full":   compiled(b, "Europe/Berlin", 1800, full, freezes...),
		"never":  compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "0 0 30 2 *", 300))),
		"daily":  compiled(b, "Europe/Berlin", 0, windows(weeklyWindow("w", "00:00", "00:00"))),
		"minute": compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "* * * * *", 300))),
		"frozen": compiled(b, "Europe/Berlin", 0, windows(cronWindow("c", "*/6 * * * *", 300)), freeze(cronWindow("f", "*/6 * * * *", 300))),
	}
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
