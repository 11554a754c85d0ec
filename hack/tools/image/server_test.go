// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serverPlatforms are what TestServer builds the server for. The compiler works for minutes on the first build for
// another platform than that of the machine.
var serverPlatforms = flag.String("image.platforms", "linux/"+runtime.GOARCH, "the platforms of the server's image, separated by spaces")

// TestServer makes the image of these sources, twice, in two directories. It pushes and pulls it, and runs the server
// that was in it.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the server")
	}
	host := newRegistry(t, nil)
	a, b := filepath.Join(t.TempDir(), "image"), filepath.Join(t.TempDir(), "image")
	first := checkout(t, t.TempDir())
	lines := makeImage(t, "--source", first, "--output", a, "--platforms", *serverPlatforms, "--push", host+"/server:v1.2.3")
	t.Log(strings.Join(lines, "\n"))
	makeImage(t, "--source", checkout(t, filepath.Join(t.TempDir(), "another", "directory")), "--output", b, "--platforms", *serverPlatforms)
	compareLayouts(t, a, b)

	if !strings.Contains(*serverPlatforms, "linux/"+runtime.GOARCH) {
		return
	}
	image := pull(t, lines[len(lines)-1], runtime.GOARCH)
	commit := git(t, first, "rev-parse", "HEAD")
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got := config.Config.Labels["org.opencontainers.image.revision"]; got != commit {
		t.Errorf("the label of the revision is %q, want %q", got, commit)
	}
	root := unpack(t, extract(t, image))
	checkRuns(t, root, commit)
	checkUserAgent(t, root, commit)
}

// checkRuns runs the server from the unpacked image as a container would.
func checkRuns(t *testing.T, root, commit string) {
	t.Helper()
	tests := map[string]struct {
		args []string
		fail bool
		want string // a regular expression for all output
	}{
		"version": {args: []string{"--version"}, want: `^maintenance-apiserver v1\.2\.3\n$`},
		"help":    {args: []string{"--help"}, want: `^An aggregated Kubernetes API server`},
		"no such kubeconfig": {
			args: []string{"--kubeconfig=/tmp/none", "--data-dir=/tmp/data"}, fail: true,
			want: `^maintenance-apiserver: .*/tmp/none: no such file or directory\n$`,
		},
	}
	for name, tt := range tests {
		out, err := inContainer(t.Context(), root, tt.args...).CombinedOutput()
		if (err != nil) != tt.fail {
			t.Errorf("%s: error %v", name, err)
		}
		if !regexp.MustCompile(tt.want).Match(out) {
			t.Errorf("%s: the server prints %q, want %s", name, out, tt.want)
		}
	}
	program, err := os.ReadFile(filepath.Join(root, entrypoint))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{commit, "Europe/Prague"} {
		if !bytes.Contains(program, []byte(want)) {
			t.Errorf("the server does not contain %q", want)
		}
	}
}

// checkUserAgent checks how the server introduces itself to a cluster.
func checkUserAgent(t *testing.T, root, commit string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	agent := make(chan string, 1)
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case agent <- r.UserAgent():
			cancel() // which ends the server
		default:
		}
		http.NotFound(w, r)
	}))
	defer cluster.Close()
	write(t, root, "tmp/kubeconfig", `{"clusters": [{"name": "a", "cluster": {"server": "`+cluster.URL+`"}}],
		"contexts": [{"name": "a", "context": {"cluster": "a"}}], "current-context": "a"}`)
	out, _ := inContainer(ctx, root, "--kubeconfig=/tmp/kubeconfig", "--data-dir=/tmp/data").CombinedOutput()
	select {
	case got := <-agent:
		if want := "maintenance-apiserver/v1.2.3 (linux/" + runtime.GOARCH + ") kubernetes/" + commit[:7]; got != want {
			t.Errorf("the user agent is %q, want %q", got, want)
		}
	default:
		t.Errorf("the server asked the cluster nothing, and printed %s", out)
	}
}

// inContainer returns a command that runs the image's server. If the test may, the server sees nothing but the image, as
// the user of the image; else it sees this machine.
func inContainer(ctx context.Context, root string, args ...string) *exec.Cmd {
	if os.Geteuid() != 0 {
		return exec.CommandContext(ctx, filepath.Join(root, entrypoint), args...)
	}
	cmd := exec.CommandContext(ctx, entrypoint, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nonRoot, Gid: nonRoot}}
	cmd.Dir = "/"
	return cmd
}

// unpack writes the files of an image into a new directory, with their modes, and with their owners if the test may.
func unpack(t *testing.T, entries []entry) string {
	t.Helper()
	root := t.TempDir()
	for _, e := range entries {
		path := filepath.Join(root, e.header.Name)
		var err error
		if e.header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
			write(t, root, e.header.Name, string(e.content))
		}
		if err == nil && os.Geteuid() == 0 {
			err = os.Chown(path, e.header.Uid, e.header.Gid)
		}
		if err == nil {
			err = os.Chmod(path, e.header.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// checkout copies these sources into a directory, and makes a repository of them whose one commit has the tag v1.2.3.
func checkout(t *testing.T, dir string) string {
	t.Helper()
	top := git(t, ".", "rev-parse", "--show-toplevel")
	for _, path := range strings.Split(git(t, top, "ls-files", "--cached", "--others", "--exclude-standard"), "\n") {
		content, err := os.ReadFile(filepath.Join(top, path))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, path, string(content))
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "release")
	git(t, dir, "tag", "v1.2.3")
	return dir
}

// git runs git without anybody's configuration, and returns what it prints.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-05-04T12:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2026-05-04T12:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
