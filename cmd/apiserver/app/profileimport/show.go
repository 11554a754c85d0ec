// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
)

// show writes what became of every key, and what is to be done next.
func show(told io.Writer, result *sapimport.Result) {
	table := tabwriter.NewWriter(told, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "LINE\tKEY\tRESULT\tDETAILS")
	for _, e := range result.Report.Entries() {
		fmt.Fprintf(table, "%s:%d\t%s\t%s\t%s\n", text.Escape(e.File), e.Line, text.Escape(e.Key), e.Outcome, text.Escape(strings.Join(e.Details, "; ")))
	}
	_ = table.Flush() // what cannot be written is not told
	report := &result.Report
	fmt.Fprintf(told, "\n%s: %d taken over, %d changed, %d dropped, %d cannot be mapped.\n", english.Plural(len(report.Entries()), "key", ""),
		report.Count(sapimport.TakenOver), report.Count(sapimport.Changed), report.Count(sapimport.Dropped), report.Count(sapimport.Unmapped))
	if len(result.Profiles) == 0 {
		fmt.Fprintln(told, "There is no profile that can be used.")
		return
	}
	hint(told, result)
}
