// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// shownMissing is how many of the things that are missing the summary names.
const shownMissing = 3

// summary says in a few lines where the archive is, and what is missing in it.
func (g *gatherer) summary(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s unpacked, in %s\n", name, english.Plural(len(g.archive.names), "file", ""), humanize.IBytes(g.archive.bytes),
		time.Since(g.archive.now).Round(100*time.Millisecond))
	b.WriteString("Read timeline.txt first; index.txt says what each file is, and what was left out.\n")
	missing := g.index.missing()
	if len(missing) == 0 {
		b.WriteString("Nothing is missing.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "Missing, as index.txt says with the reason: %d\n", len(missing))
	for i, reason := range missing[:min(len(missing), shownMissing)] {
		if i == shownMissing-1 && len(missing) > shownMissing {
			fmt.Fprintf(&b, "  and %d more\n", len(missing)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	return b.String()
}
