// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// kubectl drains with kubectl drain, as a person does by hand.
type kubectl struct {
	binary, kubeconfig, cacheDir string
}

func (*kubectl) user() string { return serviceAccountUser(toolsNamespace, toolKubectl) }

// prepare fills kubectl's cache of what the cluster serves.
func (k *kubectl) prepare(ctx context.Context, _ *workload, _ []string) error {
	return k.run(ctx, "get", "nodes")
}

func (k *kubectl) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, k.binary, append([]string{"--kubeconfig", k.kubeconfig, "--cache-dir", k.cacheDir}, args...)...)
}

func (k *kubectl) run(ctx context.Context, args ...string) error {
	var output bytes.Buffer
	command := k.command(ctx, args...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return fmt.Errorf("could not run kubectl %v: %w: %s", args, err, output.Bytes()[max(output.Len()-1000, 0):])
	}
	return nil
}

// drainArgs let go what our server lets go.
func drainArgs(nodes ...string) []string {
	return append([]string{"drain", "--ignore-daemonsets", "--delete-emptydir-data", "--force"}, nodes...)
}

// drain runs one process for each node side by side: one for all of them would
// drain the nodes in turn.
func (k *kubectl) drain(ctx context.Context, nodes []string) (map[string]time.Time, error) {
	var mu sync.Mutex
	said := map[string]time.Time{}
	err := inParallel(nodes, len(nodes), func(node string) error {
		if err := k.run(ctx, drainArgs(node)...); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		said[node] = time.Now()
		return nil
	})
	return said, err
}

func (k *kubectl) giveBack(ctx context.Context, nodes []string) error {
	return k.run(ctx, append([]string{"uncordon"}, nodes...)...)
}
