// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"
)

// show writes the plan: from where to where, and a line for each object.
func show(out io.Writer, from, to source, p plan) {
	fmt.Fprintf(out, "From: %s\nTo:   %s\nID:   %s\n\n", from, to, p.id)
	if p.begun {
		fmt.Fprint(out, "An interrupted copy of this source is continued.\n\n")
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tACTION")
	for _, s := range p.steps {
		fmt.Fprintf(table, "%s\t%s\n", s.key, s.action)
	}
	_ = table.Flush() // what cannot be written is not told
	fmt.Fprintln(out)
}

// showEnd writes what was done.
func showEnd(out io.Writer, p plan) {
	if p.done {
		fmt.Fprintln(out, "Nothing was to be done: the target already has every object and the ID.")
		return
	}
	fmt.Fprintf(out, "Done: the target has the ID and %s of the source, byte for byte. The source is as it was.\n", english.Plural(p.count(), "object", ""))
}

// count is how many objects the target has afterwards.
func (p plan) count() int {
	count := 0
	for _, s := range p.steps {
		if s.action != toRemove {
			count++
		}
	}
	return count
}

// showNext writes what is to be done after the move.
func showNext(out io.Writer, from source, flags string) {
	fmt.Fprintf(out, "\nNext:\n"+
		"1. Start the server with\n"+
		"     %s\n"+
		"   Never start one on the old store again: both have the same ID, so both would take the nodes in maintenance for theirs.\n"+
		"2. See the holds:\n"+
		"     kubectl get nodemaintenances.maintenance.medik8s.io\n"+
		"3. When you are content, remove the old store:\n"+
		"     %s\n", flags, from.cleanup())
}
