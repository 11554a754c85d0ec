// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
)

var modelName = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// printMachine says where the figures come from, and how busy the machine was
// before.
func (b *bench) printMachine() error {
	version, err := b.kube.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("could not ask for the cluster's version: %w", err)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return fmt.Errorf("could not read how busy the machine is: %w", err)
	}
	cpu := "unknown"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if found := modelName.FindSubmatch(info); found != nil {
			cpu = string(found[1])
		}
	}
	fmt.Printf("%d processors (%s), %s, Kubernetes %s, load over the last minute %s\n\n",
		runtime.NumCPU(), cpu, runtime.Version(), version.GitVersion, strings.Fields(string(load))[0])
	return nil
}
