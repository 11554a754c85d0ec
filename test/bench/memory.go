// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

var highWaterMark = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// resetPeakMemory makes the kernel forget a process's peak so far.
func resetPeakMemory(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return fmt.Errorf("could not reset peak memory: %w", err)
	}
	return nil
}

// peakMemory is the most resident memory of a process since then, in MiB.
func peakMemory(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("could not read peak memory: %w", err)
	}
	found := highWaterMark.FindSubmatch(status)
	if found == nil {
		return 0, errors.New("could not find peak memory: no VmHWM")
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return 0, fmt.Errorf("could not parse peak memory: %w", err)
	}
	return float64(kilobytes) / 1024, nil
}
