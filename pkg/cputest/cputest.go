// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cputest measures for tests how much work something is. Processor time tells that, whatever else the machine does
// meanwhile; the time that passes does not.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Time returns the processor time that the process spends while it does something. That includes the work of other
// goroutines, so a test that asks for it must not be parallel.
func Time(t *testing.T, do func()) time.Duration {
	t.Helper()
	before := spent(t)
	do()
	return spent(t) - before
}

// spent is the processor time that the process has spent so far.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
