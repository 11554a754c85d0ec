// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/prometheus/procfs"
)

// resetPeakMemory makes the kernel forget a process's peak so far.
func resetPeakMemory(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return fmt.Errorf("could not reset peak memory: %w", err)
	}
	return nil
}

// peakMemory is the most resident memory of a process since then, in MiB.
func peakMemory(pid int) (float64, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("could not read peak memory: %w", err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		return 0, fmt.Errorf("could not read peak memory: %w", err)
	}
	return float64(status.VmHWM) / (1 << 20), nil
}
