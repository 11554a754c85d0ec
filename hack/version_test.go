// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package hack tests the scripts of this directory.
package hack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
)

// commitTime is the time when every commit of these tests is made.
const commitTime = "2026-05-04T12:00:00Z"

func TestVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		steps []string // shell commands
		env   []string
		// wantVersion has "COMMIT" where the first 12 digits of the commit are.
		wantVersion string
		wantTree    string
		wantDate    string
	}{
		"no tag":                          {wantVersion: "v0.1.0-dev.gCOMMIT"},
		"no tag, changed":                 {steps: []string{"touch x"}, wantVersion: "v0.1.0-dev.gCOMMIT.dirty", wantTree: "dirty"},
		"tag":                             {steps: []string{"git tag v1.2.3"}, wantVersion: "v1.2.3"},
		"tag of a release candidate":      {steps: []string{"git tag v1.2.3-rc.1"}, wantVersion: "v1.2.3-rc.1"},
		"tag, changed":                    {steps: []string{"git tag v1.2.3", "touch x"}, wantVersion: "v1.2.4-dev.0.gCOMMIT.dirty", wantTree: "dirty"},
		"tag that is no version":          {steps: []string{"git tag nightly", "git tag v1"}, wantVersion: "v0.1.0-dev.gCOMMIT"},
		"two commits after a tag":         {steps: []string{"git tag v1.2.9", "commit b", "commit c"}, wantVersion: "v1.2.10-dev.2.gCOMMIT"},
		"a commit after a candidate":      {steps: []string{"git tag v1.2.0-rc.1", "commit b"}, wantVersion: "v1.2.0-rc.1.dev.1.gCOMMIT"},
		"release of a candidate's commit": {steps: []string{"git tag -am rc v1.2.0-rc.1", "GIT_COMMITTER_DATE=2027-01-01T00:00:00Z git tag -am v1 v1.2.0"}, wantVersion: "v1.2.0"},
		"named":                           {steps: []string{"git tag v1.2.3", "touch x"}, env: []string{"VERSION=v2.0.0"}, wantVersion: "v2.0.0", wantTree: "dirty"},
		"at another time":                 {env: []string{"SOURCE_DATE_EPOCH=86400"}, wantVersion: "v0.1.0-dev.gCOMMIT", wantDate: "1970-01-02T00:00:00Z"},
		"no git":                          {steps: []string{"rm -rf .git"}, wantVersion: "v0.1.0-dev.unknown", wantDate: "1970-01-01T00:00:00Z"},
		"tarball":                         {steps: []string{"tarball"}, wantVersion: "v0.1.0-dev.gCOMMIT"},
		"tarball of a tag":                {steps: []string{"git tag v1.2.3", "tarball"}, wantVersion: "v1.2.3"},
		"tarball of a commit after a tag": {steps: []string{"git tag v1.2.3", "commit b", "tarball"}, wantVersion: "v1.2.4-dev.1.gCOMMIT"},
		"tarball, in another repository":  {steps: []string{"tarball", "git init -q && git commit -q --allow-empty -m b"}, wantVersion: "v0.1.0-dev.gCOMMIT"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			for _, step := range tt.steps {
				r.run(step)
			}
			got := r.version(tt.env...)
			r.compare(got, "version", strings.ReplaceAll(tt.wantVersion, "COMMIT", r.commit[:12]))
			r.compare(got, "tree", orElse(tt.wantTree, "clean"))
			r.compare(got, "date", orElse(tt.wantDate, commitTime))
			if name != "no git" {
				r.compare(got, "commit", r.commit)
			}
			if _, err := version.ParseSemantic(got["version"]); err != nil {
				t.Errorf("component-base does not accept the version: %v", err)
			}
		})
	}
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// TestLinkerFlags checks that component-base and client-go are told the same, and that both have such variables.
func TestLinkerFlags(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.run("git tag v1.2.3")
	got := r.version()["ldflags"]
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		want := map[string]string{
			"gitVersion": "v1.2.3", "gitMajor": "1", "gitMinor": "2",
			"gitCommit": r.commit, "gitTreeState": "clean", "buildDate": commitTime,
		}
		source := packageSource(t, pkg)
		for variable, value := range want {
			if flag := "-X " + pkg + "." + variable + "=" + value; !strings.Contains(got+" ", flag+" ") {
				t.Errorf("the flags are %q, want %q among them", got, flag)
			}
			if !regexp.MustCompile(`(?m)^\s*` + variable + `\b.*(=|string)`).MatchString(source) {
				t.Errorf("%s has no variable %s", pkg, variable)
			}
		}
	}
}

// packageSource returns the Go file of a package that has its variables.
func packageSource(t *testing.T, pkg string) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "base.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func TestBadVersion(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for _, bad := range []string{"1.2.3", "v1.2", "v1.2.3+build", "v01.2.3", "v1.2.3-", "v1.2.3 -X main.x=y"} {
		cmd := r.command("hack/version.sh version")
		cmd.Env = append(cmd.Env, "VERSION="+bad)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("VERSION=%q is accepted: %s", bad, out)
		}
		if want := `"` + bad + "\" is not a version such as v1.2.3 or v1.2.3-rc.1\n"; string(out) != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}

// repository is a repository of git that has version.sh.
type repository struct {
	t   *testing.T
	dir string
	// commit is the last commit that was made with these sources.
	commit string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{t: t, dir: t.TempDir()}
	r.run("mkdir hack")
	for _, name := range []string{"hack/version.sh", ".gitattributes"} {
		content, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.run("git init -q")
	r.run("git add .")
	r.run("commit a")
	return r
}

// run runs a command in the repository and returns what it prints. Two words stand for more: "commit X" makes a commit,
// and "tarball" puts what git archive makes of the last commit in the place of the repository.
func (r *repository) run(command string) string {
	r.t.Helper()
	message, isCommit := strings.CutPrefix(command, "commit ")
	switch {
	case isCommit:
		command = "git commit -q --allow-empty -m " + message
	case command == "tarball":
		command = "git archive -o sources.tar HEAD && rm -rf .git hack && tar -xf sources.tar && rm sources.tar"
	}
	out, err := r.command(command).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if isCommit {
		r.commit = r.run("git rev-parse HEAD")
	}
	return strings.TrimSpace(string(out))
}

// command returns a command that sees nobody's configuration of git, and no version.
func (r *repository) command(command string) *exec.Cmd {
	cmd := exec.CommandContext(r.t.Context(), "bash", "-c", command)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=" + commitTime,
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=" + commitTime,
	}
	return cmd
}

// version returns the lines that version.sh prints.
func (r *repository) version(env ...string) map[string]string {
	r.t.Helper()
	cmd := r.command("hack/version.sh")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		got[name] = value
	}
	return got
}

func (r *repository) compare(got map[string]string, name, want string) {
	r.t.Helper()
	if got[name] != want {
		r.t.Errorf("%s is %q, want %q", name, got[name], want)
	}
}
