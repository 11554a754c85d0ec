// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// pollInterval is how often a process that is not our child is looked at.
const pollInterval = 20 * time.Millisecond

// killTimeout is how long to wait after SIGKILL, which only a process that is stuck in the
// kernel survives.
const killTimeout = 10 * time.Second

// Spec says how to start a process.
type Spec struct {
	// Path is the program's file.
	Path string
	// Name is what the process takes for the name of its program. Default: Path.
	Name string
	// Args are its arguments, without the program's name.
	Args []string
	// Env is added to the environment of the calling process.
	Env []string
	// LogPath is the file that output and errors are appended to.
	LogPath string
	// Detached lets the process outlive the calling one. Otherwise the kernel kills it when
	// the calling process ends in any way.
	Detached bool
}

// Process is a running or ended process: either a child of the calling process
// (Start) or one found again by its identity (Attach).
type Process struct {
	Identity

	// exited is closed once the child has been reaped; nil for an attached process.
	exited chan struct{}
	state  *os.ProcessState
}

// Start starts a process. It does not wait for it to be ready for anything.
func Start(spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.LogPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("could not open log of %s: %w", spec.Path, err)
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor

	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Args[0] = cmp.Or(spec.Name, spec.Path)
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = sysProcAttr(spec.Detached)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("could not start %s: %w", spec.Path, err)
	}
	identity, err := identify(cmd.Process.Pid)
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	p := &Process{Identity: identity, exited: make(chan struct{})}
	go p.reap(cmd)
	return p, nil
}

func sysProcAttr(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	// A group of its own, so that Ctrl-C in the terminal reaches only the
	// calling process, which then stops its children in order.
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits for the child to end. Whoever stops the child waits for reap.
func (p *Process) reap(cmd *exec.Cmd) {
	defer close(p.exited)
	_ = cmd.Wait() // an exit code other than 0 is in the state
	p.state = cmd.ProcessState
}

// Attach returns the process with an identity that was recorded earlier. It may
// have ended already.
func Attach(identity Identity) *Process {
	return &Process{Identity: identity}
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	if p.exited == nil {
		return !p.Alive()
	}
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Wait returns nil once the process has ended, or the context's error.
func (p *Process) Wait(ctx context.Context) error {
	if p.exited != nil {
		select {
		case <-p.exited:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		return !p.Alive(), nil
	})
}

// ExitCode returns the exit code of a child that has ended, and -1 if it was
// ended by a signal, still runs, or is not a child of the calling process.
func (p *Process) ExitCode() int {
	if p.exited == nil || !p.Ended() {
		return -1
	}
	return p.state.ExitCode()
}

// Signal sends a signal. If the process has ended already, that is no error.
func (p *Process) Signal(signal syscall.Signal) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return fmt.Errorf("could not find process %d: %w", p.PID, err)
	}
	defer func() { _ = handle.Release() }()
	// The handle stays with the process that it was opened for. Checking the identity after
	// opening it makes sure that no other process with the same pid gets the signal.
	if p.Ended() || !p.Alive() {
		return nil
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("could not send %v to process %d: %w", signal, p.PID, err)
	}
	return nil
}

// Stop asks the process to end with SIGTERM, kills it when it has not ended
// after the grace period or when the context is done, and waits until it is gone.
func (p *Process) Stop(ctx context.Context, grace time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	graceCtx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if p.Wait(graceCtx) == nil {
		return nil
	}
	return p.Kill()
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		return fmt.Errorf("could not kill process %d: %w", p.PID, err)
	}
	return nil
}
