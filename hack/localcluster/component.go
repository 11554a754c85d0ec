// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// stopGrace is how long a component has to end by itself before it is killed.
const stopGrace = 10 * time.Second

// component is one program of the cluster, with its arguments and configuration.
type component struct {
	name   string
	binary string
	args   []string
	// env is added to the environment of the calling process.
	env []string
	// configs are files that the program reads only at its start.
	configs []string
	// beforeStart is called before every start, while the component does not run;
	// nil for nothing to do.
	beforeStart func(ctx context.Context) error
}

// fingerprint identifies the binary, arguments and configuration of a component. If it
// differs from that of the running component, the component must be restarted.
func (p component) fingerprint() (string, error) {
	info, err := os.Stat(p.binary)
	if err != nil {
		return "", fmt.Errorf("could not find program of %s: %w", p.name, err)
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s %d %d %q %q", p.binary, info.Size(), info.ModTime().UnixNano(), p.args, p.env) // a hash never fails
	for _, path := range p.configs {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("could not read configuration of %s: %w", p.name, err)
		}
		_, _ = fmt.Fprintf(sum, "%d %s", len(content), content)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ensure returns the component's process, and whether ensure has started it. A component
// that runs with another fingerprint is restarted.
func (c *Cluster) ensure(ctx context.Context, p component) (proc *process.Process, started bool, err error) {
	fingerprint, err := p.fingerprint()
	if err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if proc := c.runningLocked(p.name); proc != nil {
		if c.state.Processes[p.name].Fingerprint == fingerprint {
			return proc, false, nil
		}
		if err := proc.Stop(ctx, stopGrace); err != nil {
			return nil, false, fmt.Errorf("could not restart %s: %w", p.name, err)
		}
	}
	if p.beforeStart != nil {
		if err := p.beforeStart(ctx); err != nil {
			return nil, false, err
		}
	}
	proc, err = process.Start(process.Spec{
		Path:     p.binary,
		Name:     p.name,
		Args:     p.args,
		Env:      p.env,
		LogPath:  c.layout.log(p.name),
		Detached: c.options.Detached,
	})
	if err != nil {
		return nil, false, err
	}
	c.children[p.name] = proc
	return proc, true, c.state.record(p.name, processRecord{Identity: proc.Identity, Fingerprint: fingerprint})
}

// runningLocked prefers the handle of our own child process: the child is reaped as soon as
// it ends, and the handle has its exit code.
func (c *Cluster) runningLocked(name string) *process.Process {
	if child := c.children[name]; child != nil && child.Alive() {
		return child
	}
	return c.state.running(name)
}

// runs reports whether a component's process runs.
func (c *Cluster) runs(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runningLocked(name) != nil
}

// PID is the process id of a component, by the name of its program; false while it does not run.
func (c *Cluster) PID(name string) (pid int, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if proc := c.runningLocked(name); proc != nil {
		return proc.PID, true
	}
	return 0, false
}

// binary returns the path of a program in the binary directory.
func (c *Cluster) binary(name string) string {
	return filepath.Join(c.options.BinDir, name)
}

// failure returns an error with the end of the component's log, which says why it ended.
func (c *Cluster) failure(name string) error {
	const lines = 5
	content, err := os.ReadFile(c.layout.log(name))
	if err != nil {
		return fmt.Errorf("%s ended, and its log cannot be read: %w", name, err)
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	last := strings.Join(all[max(0, len(all)-lines):], "\n")
	if strings.Contains(last, "address already in use") {
		return fmt.Errorf("could not start %s: %w", name, process.ErrPortTaken)
	}
	return fmt.Errorf("%s ended; the end of %s:\n%s", name, c.layout.log(name), last)
}
