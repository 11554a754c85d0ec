// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Identity identifies one process forever: the kernel reuses pids, but never with the same
// start time.
type Identity struct {
	// PID is the process id.
	PID int `json:"pid"`
	// StartTime is when the process started, in clock ticks since boot.
	StartTime uint64 `json:"startTime"`
}

// identify returns the identity of the process that has the pid now.
func identify(pid int) (Identity, error) {
	_, startTime, err := readStat(pid)
	if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, StartTime: startTime}, nil
}

// Alive reports whether the process still runs. A zombie does not run: it only waits for
// its parent to reap it.
func (i Identity) Alive() bool {
	state, startTime, err := readStat(i.PID)
	return err == nil && startTime == i.StartTime && state != 'Z' && state != 'X'
}

func readStat(pid int) (state byte, startTime uint64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("could not read the state of process %d: %w", pid, err)
	}
	return parseStat(content)
}

// parseStat reads state and start time, fields 3 and 22 of proc(5) stat. The
// second field is the program's name in parentheses and may hold anything, so
// counting begins behind its last closing one.
func parseStat(content []byte) (state byte, startTime uint64, err error) {
	const stateField, startTimeField = 3, 22
	nameEnd := bytes.LastIndexByte(content, ')')
	if nameEnd < 0 {
		return 0, 0, fmt.Errorf("could not parse process state %q: no program name", content)
	}
	fields := bytes.Fields(content[nameEnd+1:])
	if len(fields) <= startTimeField-stateField {
		return 0, 0, fmt.Errorf("could not parse process state %q: only %d fields", content, len(fields))
	}
	startTime, err = strconv.ParseUint(string(fields[startTimeField-stateField]), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("could not parse start time in process state %q: %w", content, err)
	}
	return fields[0][0], startTime, nil
}
