// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
)

const introduction = `The story of each node in maintenance, as of %s. All times are UTC.
A line says when, where that was read, of which hold (a NodeMaintenance), and what happened. It was read in an event,
in the status of a hold or a node, in a ScheduledEvent (cloud), in an audit line (audit), in the managedFields of an
object (writer), in a lease or in a pod. Events are kept for an hour by default, and of a status only the last change of each condition is known.
`

// Write tells the story: one section for each node, with its holds.
func (s *Story) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, introduction, s.now.UTC().Format(time.DateTime)); err != nil {
		return err
	}
	if s.left > 0 {
		_, _ = fmt.Fprintf(w, "There was no room for %s.\n", english.Plural(s.left, "more line", ""))
	}
	told := s.byNode()
	nodes := s.sections(told)
	if len(nodes) == 0 {
		_, _ = fmt.Fprint(w, "\nNo node is in maintenance, and nothing tells of an earlier maintenance.\n")
	}
	for _, node := range nodes {
		if err := s.section(w, node, told[node]); err != nil {
			return err
		}
	}
	return nil
}

// sections are the nodes that there is something to tell of, those in maintenance first.
func (s *Story) sections(told map[string][]*entry) []string {
	known := slices.Sorted(maps.Keys(s.nodes))
	others := map[string]bool{}
	for node := range told {
		others[node] = s.nodes[node] == ""
	}
	for _, hold := range s.holds {
		others[hold.node] = s.nodes[hold.node] == ""
	}
	maps.DeleteFunc(others, func(_ string, other bool) bool { return !other })
	return append(known, slices.Sorted(maps.Keys(others))...)
}

func (s *Story) section(w io.Writer, node string, entries []*entry) error {
	var b strings.Builder
	b.WriteString("\n" + s.heading(node) + "\n")
	for _, hold := range s.holdsOf(node) {
		fmt.Fprintf(&b, "  %s\n", text.Escape(hold.line))
	}
	width := 0
	for _, e := range entries {
		width = max(width, utf8.RuneCountInString(shown(e.hold)))
	}
	future := false
	for _, e := range entries {
		if s.isToCome(e) && !future {
			future = true
			fmt.Fprintf(&b, "  %s  now; what follows is still to come\n", s.now.UTC().Format(time.DateTime))
		}
		fmt.Fprintf(&b, "  %s  %-6s  %-*s  %s\n", e.at.UTC().Format(time.DateTime), e.source, width, shown(e.hold), e.text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Story) heading(node string) string {
	state, name := s.nodes[node], shown(node)
	switch {
	case node == "":
		return "Of which node is not known"
	case state == "" && s.NodesUnread:
		return "Node " + name + ": its state could not be read"
	case state == "":
		return "Node " + name + ": not in maintenance now"
	default:
		return "Node " + name + ": " + state
	}
}

// holdsOf are the holds of a node, oldest first.
func (s *Story) holdsOf(node string) []holdHead {
	heads := slices.DeleteFunc(slices.Collect(maps.Values(s.holds)), func(hold holdHead) bool { return hold.node != node })
	slices.SortFunc(heads, func(a, b holdHead) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.line, b.line))
	})
	return heads
}
