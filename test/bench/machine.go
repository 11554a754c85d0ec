// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/prometheus/procfs"
)

// printMachine says where the figures come from, and how busy the machine was
// before.
func (b *bench) printMachine() error {
	version, err := b.kube.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("could not ask for the cluster's version: %w", err)
	}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return fmt.Errorf("could not read about the machine: %w", err)
	}
	load, err := proc.LoadAvg()
	if err != nil {
		return fmt.Errorf("could not read how busy the machine is: %w", err)
	}
	cpu := "unknown"
	if processors, err := proc.CPUInfo(); err == nil && len(processors) > 0 {
		cpu = cmp.Or(processors[0].ModelName, cpu)
	}
	fmt.Printf("%d processors (%s), %s, Kubernetes %s, load over the last minute %.2f\n\n",
		runtime.NumCPU(), cpu, runtime.Version(), version.GitVersion, load.Load1)
	return nil
}
