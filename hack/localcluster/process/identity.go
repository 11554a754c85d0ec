// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// Identity identifies one process forever: the kernel reuses pids, but never with the same
// start time.
type Identity struct {
	// PID is the process id.
	PID int `json:"pid"`
	// StartTime is the time when the process started, in clock ticks since boot.
	StartTime uint64 `json:"startTime"`
}

// identify returns the identity of the process that has the pid now.
func identify(pid int) (Identity, error) {
	stat, err := readStat(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("could not read the state of process %d: %w", pid, err)
	}
	return Identity{PID: pid, StartTime: stat.Starttime}, nil
}

// Alive reports whether the process still runs. A zombie does not run: it only waits for
// its parent to reap it.
func (i Identity) Alive() bool {
	stat, err := readStat(i.PID)
	return err == nil && stat.Starttime == i.StartTime && stat.State != "Z" && stat.State != "X"
}

func readStat(pid int) (procfs.ProcStat, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return proc.Stat()
}
