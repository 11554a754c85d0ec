// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"os/exec"
	"testing"
)

func TestIdentityAlive(t *testing.T) {
	self, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if !self.Alive() {
		t.Error("this process should be alive")
	}
	recycled := Identity{PID: self.PID, StartTime: self.StartTime - 1}
	if recycled.Alive() {
		t.Error("an earlier process with this pid should not be alive")
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := identify(cmd.Process.Pid)
	if err != nil || !child.Alive() {
		t.Errorf("got identity %v and error %v, want a process that is alive", child, err)
	}
	_ = stdin.Close()
	if err := Attach(child).Wait(t.Context()); err != nil { // nobody has reaped it yet
		t.Errorf("could not see that the process has ended: %v", err)
	}
	_ = cmd.Wait()
	if _, err := identify(child.PID); err == nil {
		t.Error("got an identity for a process that is gone, want an error")
	}
}
