// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package document runs the commands of a page of docs/ on a real control plane, and compares what they
// print with what the page says.
package document

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

var updateDocs = flag.Bool("update-docs", false, "write what the commands of the documents print into them")

// Session is the terminals of those who act in a document.
type Session struct {
	cluster       *localcluster.Cluster
	path, dir     string
	toTest, toDoc *strings.Replacer
	// cell matches a table's cell with one of the test's names, up to the next cell.
	cell  *regexp.Regexp
	after map[string]func(t *testing.T)
	// masks are what differs from run to run besides.
	masks []mask
}

// NewSession gives the document's nodes worker-1 and so on, and its namespace shop, to the pool.
func NewSession(t *testing.T, pool *env.Pool) *Session {
	t.Helper()
	toTest, toDoc := []string{"shop", pool.Name}, []string{}
	for i, node := range pool.Nodes {
		name := fmt.Sprintf("worker-%d", i+1)
		toTest, toDoc = append(toTest, name, node), append(toDoc, node, name)
	}
	toDoc = append(toDoc, pool.Name, "shop")
	server, _ := pool.Server.Command()
	return &Session{
		cluster: pool.Cluster,
		path:    filepath.Dir(server) + ":" + pool.Cluster.BinDir(), dir: t.TempDir(),
		toTest: strings.NewReplacer(toTest...), toDoc: strings.NewReplacer(toDoc...),
		cell:  regexp.MustCompile(`\S*` + regexp.QuoteMeta(pool.Name) + `\S*  +`),
		after: map[string]func(t *testing.T){},
	}
}

// After has the test do something each time when a command of the document that begins with these words
// has run: what a cluster with containers would do, and the test's cluster does not.
func (s *Session) After(command string, do func(t *testing.T)) { s.after[command] = do }

// Mask has what the pattern matches count as the same in the document and in what is printed.
func (s *Session) Mask(pattern string) {
	s.masks = append(s.masks, mask{regexp.MustCompile(pattern), "MASKED"})
}

// raceNote is what only a program under test says, which was built with the race detector.
var raceNote = regexp.MustCompile(`(?m)^I\d{4} .*Data race detection enabled\n`)

// inDocument is what was printed, with the names of the document. These are shorter, so cells are
// padded to keep tables aligned.
func (s *Session) inDocument(printed string) string {
	printed = raceNote.ReplaceAllString(printed, "")
	aligned := s.cell.ReplaceAllStringFunc(printed, func(cell string) string {
		return cell + strings.Repeat(" ", len(cell)-len(s.toDoc.Replace(cell)))
	})
	return s.toDoc.Replace(aligned)
}

// Check follows a document of the folder docs from its first line to its last: every command is run,
// by who is said to, and prints what the document says. people are their kubeconfigs.
func (s *Session) Check(t *testing.T, document string, people map[string]string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", document)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written := s.follow(t, string(content), people)
	if *updateDocs {
		if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(s.masked(string(content)), s.masked(written)); diff != "" {
		t.Errorf("the document and what its commands print differ (-document +printed):\n%s", diff)
	}
	for person := range people {
		if !strings.Contains(written, "\n"+person+"$ ") {
			t.Errorf("%s runs nothing", person)
		}
	}
}

// Write puts a file where the commands look for it, with the names of the test.
func (s *Session) Write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(s.toTest.Replace(content)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Copy puts a folder where the commands look for it.
func (s *Session) Copy(t *testing.T, folder string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(s.dir, filepath.Base(folder)), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
}

var (
	prompt   = regexp.MustCompile(`^([a-z]+)\$ (.*)$`)
	fileName = regexp.MustCompile(`^# ([a-z0-9.-]+\.(yaml|json))$`)
)

// follow runs the commands of the console blocks and returns the document with what they print.
// Blocks of YAML whose first line is a file's name are that file.
func (s *Session) follow(t *testing.T, document string, people map[string]string) string {
	t.Helper()
	var out []string
	block, file := "", ""
	var content []string
	for line := range strings.SplitSeq(document, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			if file != "" {
				s.Write(t, file, strings.Join(content, "\n")+"\n")
			}
			block, file, content = strings.TrimPrefix(line, "```"), "", nil
			out = append(out, line)
		case block == "yaml":
			if found := fileName.FindStringSubmatch(line); found != nil && len(content) == 0 {
				file = found[1]
			}
			content, out = append(content, line), append(out, line)
		case block == "console":
			if found := prompt.FindStringSubmatch(line); found != nil {
				out = append(out, line)
				out = append(out, s.run(t, people[found[1]], found[2])...)
				s.followUp(t, found[2])
			}
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func (s *Session) followUp(t *testing.T, line string) {
	t.Helper()
	for command, do := range s.after {
		if strings.HasPrefix(line, command) {
			do(t)
		}
	}
}

// commandTimeout bounds one command.
const commandTimeout = 4 * time.Minute

// run is what the shell prints, without the last line break.
func (s *Session) run(t *testing.T, kubeconfig, line string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-c", s.toTest.Replace(line))
	command.WaitDelay = time.Second // its children may outlive it
	command.Dir = s.dir
	command.Env = append(s.cluster.Environ(), "KUBECONFIG="+kubeconfig, "PATH="+s.path+":"+os.Getenv("PATH"))
	printed, err := command.CombinedOutput() // a refusal ends with an exit code
	t.Logf("%s\n%s", line, printed)
	if text := strings.TrimRight(string(printed), "\n"); text != "" {
		return strings.Split(s.inDocument(text), "\n")
	}
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return nil
}

// mask is what stands for texts that differ.
type mask struct {
	pattern *regexp.Regexp
	mask    string
}

// usual are the masks of all documents.
var usual = []mask{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`LAST DEPLOYED: .*`), "LAST DEPLOYED: TIME"},
	{regexp.MustCompile(`\b(\d+[smhd])+\b`), "AGE"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

func (s *Session) masked(text string) string {
	for _, m := range append(slices.Clone(s.masks), usual...) {
		text = m.pattern.ReplaceAllString(text, m.mask)
	}
	return text
}
