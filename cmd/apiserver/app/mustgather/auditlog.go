// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"fmt"
	"io"
	"os"
)

// auditLog reads the file of --audit-log. Only what it says of maintenance goes into the story; the file may
// have the bodies of requests, and stays where it is.
func (g *gatherer) auditLog(context.Context) error {
	if g.options.auditLog == "" {
		return nil
	}
	c := g.index.begin("(--audit-log)", "what it says of maintenance is in timeline.txt; the file itself is not in the archive")
	file, err := os.Open(g.options.auditLog)
	if err != nil {
		c.failed("", fmt.Errorf("could not open the audit log: %w", err))
		return nil
	}
	defer func() { _ = file.Close() }()
	if err := g.readLog(file, io.Discard); err != nil {
		c.failed("", fmt.Errorf("could not read the audit log: %w", err))
	}
	return nil
}
