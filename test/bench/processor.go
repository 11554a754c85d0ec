// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// clockTick is the unit of processor time in /proc, on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// benchProgram is this process: the clients, and the webhook of the custom resource.
const benchProgram = "bench"

// processorTimes are how long programs have run on a processor, by their names.
type processorTimes map[string]time.Duration

// processorTimes are those of the control plane, our server and this process since they began.
func (b *bench) processorTimes() (processorTimes, error) {
	pids := map[string]int{benchProgram: os.Getpid()}
	for _, name := range []string{
		binaries.Etcd, binaries.KubeAPIServer, binaries.KubeControllerManager, binaries.KubeScheduler, binaries.Kwok,
	} {
		if pid, running := b.cluster.PID(name); running {
			pids[name] = pid
		}
	}
	times := processorTimes{}
	for _, s := range b.servers {
		if !s.Running() {
			continue
		}
		spent, err := processorTime(s.PID())
		if err != nil {
			return nil, err
		}
		times[binaries.MaintenanceAPIServer] += spent
	}
	for name, pid := range pids {
		var err error
		if times[name], err = processorTime(pid); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// processorTime is how long a process has run, in user and kernel mode.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("could not read processor time: %w", err)
	}
	// The second field is the program's name in parentheses, which may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const utime, stime = 14 - 3, 15 - 3
	if len(fields) <= stime {
		return 0, fmt.Errorf("could not read processor time: %q", stat)
	}
	var ticks [2]int64
	if _, err := fmt.Sscan(string(fields[utime])+" "+string(fields[stime]), &ticks[0], &ticks[1]); err != nil {
		return 0, fmt.Errorf("could not parse processor time: %w", err)
	}
	return time.Duration(ticks[0]+ticks[1]) * clockTick, nil
}

// since is what was spent from then to now.
func (p processorTimes) since(then processorTimes) processorTimes {
	spent := processorTimes{}
	for name, now := range p {
		spent[name] = now - then[name]
	}
	return spent
}

// all is what the programs have spent together.
func (p processorTimes) all() time.Duration {
	var sum time.Duration
	for _, spent := range p {
		sum += spent
	}
	return sum
}
