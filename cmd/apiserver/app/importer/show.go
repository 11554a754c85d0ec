// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// show writes the plan: warnings, a line for each object, and what an admin should know of it.
func show(out io.Writer, steps []step, warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintf(out, "WARNING: %s\n\n", text.Escape(warning))
	}
	if len(steps) == 0 {
		fmt.Fprintln(out, "There are no objects to import.")
		return
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tNODE\tPHASE\tLEASE\tHOLD\tACTION")
	for _, s := range steps {
		o := s.object
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", o, shown(o.Spec.NodeName), shown(o.Status.Phase), shown(o.lease.state),
			shown(s.hold), shown(s.action))
	}
	_ = table.Flush() // what cannot be written is not told
	showNotes(out, steps)
}

func showNotes(out io.Writer, steps []step) {
	if !slices.ContainsFunc(steps, func(s step) bool { return len(s.notes) > 0 }) {
		return
	}
	fmt.Fprintln(out, "\nNotes:")
	for _, s := range steps {
		for _, note := range s.notes {
			fmt.Fprintf(out, "- %s: %s\n", s.object, text.Escape(note))
		}
	}
}

// shown is a cell of the table: what another operator wrote must not change how the table looks.
func shown(value string) string { return cmp.Or(text.Escape(value), "-") }

// showNext writes what is to be done after the import.
func showNext(out io.Writer, steps []step) {
	fmt.Fprintf(out, "\nAll objects are imported. Next:\n"+
		"1. See the holds: kubectl get nodemaintenances.%s\n"+
		"2. Remove the operator, and then the CRDs. That deletes the imported objects, and does nothing to the nodes:\n", v1beta1.GroupName)
	var told, groups []string
	for _, s := range steps {
		if crd := s.object.source.crd(); !slices.Contains(told, crd) {
			told = append(told, crd)
			groups = append(groups, s.object.source.group)
			fmt.Fprintf(out, "   kubectl delete crd %s\n", crd)
		}
	}
	fmt.Fprintf(out, "3. To serve the old names, upgrade the chart with --set 'legacyGroups={%s}'\n", strings.Join(groups, ","))
}
