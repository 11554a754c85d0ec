// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// informational is what a line of the log is like that reports nothing bad, or is a
// library's hint at what may help.
var informational = regexp.MustCompile(`^I\d{4} |^W\d{4} .*Usually fixed by`)

// TestStartedWrong starts servers beside the usual one, each wrong in another way.
// Of a flag that is given twice the last one counts.
func TestStartedWrong(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, "")
	taken := listen(t)
	silent := listen(t)
	for name, tc := range map[string]struct {
		args []string
		env  []string
		want string
	}{
		"data dir below a file": {args: []string{"--data-dir=" + filepath.Join(blocked, "data")}, want: "could not create data directory"},
		"data dir is a file":    {args: []string{"--data-dir=" + blocked}, want: "could not create data directory"},
		"data dir in use":       {args: []string{"--data-dir=" + env.Current(t).Server.DataDir()}, want: "is in use by another process"},
		"port taken":            {args: []string{"--secure-port=" + port(t, taken)}, want: "address already in use"},

		"etcd unreachable":       {args: []string{"--etcd-servers=http://127.0.0.1:1"}, want: "could not reach etcd at http://127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused"},
		"etcd silent":            {args: []string{"--etcd-servers=http://127.0.0.1:" + port(t, silent)}, want: "could not reach etcd at"},
		"etcd without its CA":    {args: []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=/nowhere/ca.crt"}, want: "/nowhere/ca.crt"},
		"etcd without its key":   {args: []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-certfile=/nowhere/tls.crt", "--etcd-keyfile=/nowhere/tls.key"}, want: "/nowhere/tls.crt"},
		"etcd with half a pair":  {args: []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-certfile=/nowhere/tls.crt"}, want: "etcd"},
		"certificate is missing": {args: []string{"--tls-cert-file=/nowhere/tls.crt", "--tls-private-key-file=/nowhere/tls.key"}, want: "/nowhere/tls.crt"},

		"no right to the CA": {args: []string{"--service=nowhere/maintenance-apiserver"}, want: "apply the manifests, which have the namespace and the permissions"},

		"kubeconfig missing":    {args: []string{"--kubeconfig=/nowhere/kubeconfig"}, want: `could not use kubeconfig "/nowhere/kubeconfig"`},
		"kubeconfig garbage":    {args: []string{"--kubeconfig=" + file(t, "garbage")}, want: "could not use kubeconfig"},
		"kubeconfig empty":      {args: []string{"--kubeconfig=" + file(t, "")}, want: "could not use kubeconfig"},
		"no kubeconfig":         {args: []string{"--kubeconfig="}, want: "no --kubeconfig given, and not in a cluster"},
		"cluster unreachable":   {args: []string{"--kubeconfig=" + kubeconfig(t, `server: .*`, `server: https://127.0.0.1:1`)}, want: "could not reach the cluster at https://127.0.0.1:1"},
		"cluster silent":        {args: []string{"--kubeconfig=" + kubeconfig(t, `server: .*`, `server: https://127.0.0.1:`+port(t, silent))}, want: "could not reach the cluster at"},
		"cluster not trusted":   {args: []string{"--kubeconfig=" + kubeconfig(t, `certificate-authority-data: .*`, ``)}, want: "could not reach the cluster at"},
		"token wrong":           {args: []string{"--kubeconfig=" + kubeconfig(t, `token: .*`, `token: wrong`)}, want: "could not reach the cluster at"},
		"user without rights":   {args: []string{"--kubeconfig=" + strangersKubeconfig(t)}, want: "extension-apiserver-authentication"},
		"environment half told": {env: []string{"POD_NAME=server"}, want: "POD_NAMESPACE and POD_NAME"},

		"flag unknown":           {args: []string{"--no-such-flag"}, want: "unknown flag: --no-such-flag"},
		"flag not a number":      {args: []string{"--evictions-in-flight=many"}, want: "--evictions-in-flight"},
		"flag out of range":      {args: []string{"--evictions-in-flight=0"}, want: "--evictions-in-flight must be from 1 to 1000"},
		"several flags wrong":    {args: []string{"--evictions-in-flight=0", "--drain-taints=x:NoExecute"}, want: "--drain-taints"},
		"service without a name": {args: []string{"--service=maintenance-system"}, want: "--service must be namespace/name"},
		"an argument":            {args: []string{"server"}, want: `unknown command "server"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--data-dir=" + filepath.Join(t.TempDir(), "data"), "--secure-port=" + freePort(t)}
			wantRefusal(t, append(args, tc.args...), tc.env, tc.want)
		})
	}
}

// wantRefusal starts a server with further arguments and checks that it gives up
// soon, in one line.
func wantRefusal(t *testing.T, more, environment []string, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*promised)
	defer cancel()
	binary, args := env.Current(t).Server.Command()
	cmd := exec.CommandContext(ctx, binary, append(args, more...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), environment...)
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || took > promised {
		t.Errorf("it ended after %s with %v, want exit code 1 within %s", took, err, promised)
	}
	if stdout.Len() > 0 {
		t.Errorf("it wrote to standard output: %s", stdout.String())
	}
	lines := complaints(stderr.String())
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "maintenance-apiserver: ") || !strings.Contains(lines[0], want) {
		t.Errorf("it said, after %s,\n%s\nwant one line with %q", took.Round(time.Millisecond), strings.Join(lines, "\n"), want)
	}
	t.Logf("%s: %s", took.Round(10*time.Millisecond), strings.Join(lines, "\n"))
}

// complaints are the lines that are more than information.
func complaints(output string) []string {
	var found []string
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); !informational.MatchString(line) {
			found = append(found, line)
		}
	}
	return found
}

// listen takes a port and never answers on it.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func port(t *testing.T, listener net.Listener) string {
	t.Helper()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// kubeconfig is the server's own with a change.
func kubeconfig(t *testing.T, pattern, replacement string) string {
	t.Helper()
	path, err := env.Current(t).Cluster.ServiceAccountKubeconfig(t.Context(), "maintenance-system", "maintenance-apiserver")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(pattern).ReplaceAll(content, []byte(replacement))
	if bytes.Equal(changed, content) {
		t.Fatalf("the kubeconfig has no %s", pattern)
	}
	return file(t, string(changed))
}

// strangersKubeconfig is that of a user whom no role is bound to.
func strangersKubeconfig(t *testing.T) string {
	t.Helper()
	path, err := env.Current(t).Cluster.UserKubeconfig("stranger")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, content)
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
