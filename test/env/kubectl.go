// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kubectlTimeout bounds one call of kubectl, which may wait for something itself.
const kubectlTimeout = Timeout + time.Minute

// Kubectl calls kubectl as one user.
type Kubectl struct {
	binary     string
	kubeconfig string
	environ    []string
}

// Output is what one call of kubectl printed, and its exit code.
type Output struct {
	Stdout, Stderr string
	Code           int
}

// Kubectl returns kubectl for the admin.
func (e *Env) Kubectl() *Kubectl {
	return e.kubectl(e.Cluster.Kubeconfig())
}

// KubectlAs returns kubectl for any user.
func (e *Env) KubectlAs(t *testing.T, user string, groups ...string) *Kubectl {
	t.Helper()
	kubeconfig, err := e.Cluster.UserKubeconfig(user, groups...)
	if err != nil {
		t.Fatalf("could not make a kubeconfig for %s: %v", user, err)
	}
	return e.kubectl(kubeconfig)
}

func (e *Env) kubectl(kubeconfig string) *Kubectl {
	return &Kubectl{binary: filepath.Join(e.Cluster.BinDir(), "kubectl"), kubeconfig: kubeconfig, environ: e.Cluster.Environ()}
}

// Command prepares a call, for those that go on beside the test.
func (k *Kubectl) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.binary, append([]string{"--kubeconfig", k.kubeconfig}, args...)...)
	cmd.Env = k.environ
	return cmd
}

// Try calls kubectl with something on its standard input.
func (k *Kubectl) Try(t *testing.T, stdin string, args ...string) Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kubectlTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := k.Command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("could not run kubectl %s: %v", strings.Join(args, " "), err)
	}
	return Output{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// Must calls kubectl, which must succeed, and returns its standard output.
func (k *Kubectl) Must(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out := k.Try(t, stdin, args...)
	if out.Code != 0 {
		t.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), out.Code, out.Stdout, out.Stderr)
	}
	return out.Stdout
}
