// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
)

// maxReason is how much of an error the index shows.
const maxReason = 400

// maxMissing is how many things of one chapter are named that could not be read.
const maxMissing = 10

// chapter is what became of one collector.
type chapter struct {
	path, about string
	// files is how many files it wrote.
	files int
	// missing is what could not be read, and why. There were more such things than it has, by more.
	missing []string
	more    int
	// notes say what else a reader is to know, such as that something is cut.
	notes []string
}

// index says what each file of the archive is, and what is missing.
type index struct {
	version   string
	started   time.Time
	chapters  []*chapter
	succeeded bool
}

func (x *index) begin(path, about string) *chapter {
	c := &chapter{path: path, about: about}
	x.chapters = append(x.chapters, c)
	return c
}

// failed notes that something could not be read. An API that the cluster does not have is not missing.
func (c *chapter) failed(what string, err error) {
	reason := why(err)
	if what != "" {
		reason = what + ": " + reason
	}
	if apierrors.IsNotFound(err) {
		c.notes = append(c.notes, reason)
		return
	}
	if len(c.missing) >= maxMissing {
		c.more++
		return
	}
	c.missing = append(c.missing, reason)
}

func (c *chapter) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// why is an error in the words of the index, on one line.
func why(err error) string {
	var said string
	switch {
	case apierrors.IsForbidden(err):
		said = "not allowed: " + err.Error()
	case apierrors.IsNotFound(err):
		said = "not there: " + err.Error()
	default:
		said = err.Error()
	}
	said = strings.TrimSuffix(text.Escape(said), ": unknown") // a proxy's refusal has no words of its own
	if len(said) > maxReason {
		said = strings.ToValidUTF8(said[:maxReason], "") + "…"
	}
	return said
}

// missing are all things that could not be read.
func (x *index) missing() []string {
	var all []string
	for _, c := range x.chapters {
		for _, reason := range c.missing {
			all = append(all, c.path+": "+reason)
		}
		if c.more > 0 {
			all = append(all, fmt.Sprintf("%s: and %d more", c.path, c.more))
		}
	}
	return all
}

const leftOut = `Left out on purpose
  Secrets and ConfigMaps are not read. Of environment variables only the names are kept, and of commands, arguments,
  probes and hooks nothing, but for the arguments of our own server. Annotations are kept only if they are our own, or
  well known and of Kubernetes; never kubectl's last-applied-configuration. Of managedFields, who wrote and when is kept.
  Of virtual machines, what they boot with is left out. A field that this version does not know is left out too.

What may still be private
  The messages of events and conditions, and lines of logs, quote whatever a program put there. So do the reasons
  of NodeMaintenances, labels and names. Read them before you hand on the archive.
`

// text is the index as a page.
func (x *index) text(now time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Collected by maintenance-apiserver %s from %s to %s.\n", x.version,
		x.started.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	b.WriteString("Read timeline.txt first. It says what happened to each node in maintenance, and when.\n\nWhat each file is\n")
	for _, c := range x.chapters {
		fmt.Fprintf(&b, "  %-24s %s\n", c.path, c.about+c.count())
		for _, note := range c.notes {
			fmt.Fprintf(&b, "  %-24s   %s\n", "", note)
		}
	}
	b.WriteString("\nWhat could not be read\n")
	missing := x.missing()
	for _, reason := range missing {
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	if len(missing) == 0 {
		b.WriteString("  Everything could be read.\n")
	}
	b.WriteString("\n" + leftOut)
	return []byte(b.String())
}

// count says how many files are in a folder.
func (c *chapter) count() string {
	switch {
	case !strings.HasSuffix(c.path, "/"):
		return ""
	case c.files == 0:
		return " (none)"
	default:
		return fmt.Sprintf(" (%s)", english.Plural(c.files, "file", ""))
	}
}
