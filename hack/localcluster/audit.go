// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// AuditEvents returns the requests in kube-apiserver's audit log whose line contains text,
// and for which keep returns true, in the order in which they ended. The text saves time,
// because other lines are not parsed. Evictions and deletions of pods have their bodies.
// Leases, events and the control plane's own reads are not in the log.
func (c *Cluster) AuditEvents(text string, keep func(*auditv1.Event) bool) ([]auditv1.Event, error) {
	file, err := os.Open(c.layout.auditLog())
	if err != nil {
		return nil, fmt.Errorf("could not open audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	return readAuditEvents(file, text, keep)
}

func readAuditEvents(r io.Reader, text string, keep func(*auditv1.Event) bool) ([]auditv1.Event, error) {
	var events []auditv1.Event
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil // a line without its end is still being written
		}
		if err != nil {
			return nil, fmt.Errorf("could not read audit log: %w", err)
		}
		if !bytes.Contains(line, []byte(text)) {
			continue
		}
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("could not parse audit event: %w", err)
		}
		if keep(&event) {
			events = append(events, event)
		}
	}
}

// IsEviction reports whether a request was the eviction of a pod, dry runs and
// refused ones included.
func IsEviction(event *auditv1.Event) bool {
	ref := event.ObjectRef
	return ref != nil && ref.Resource == "pods" && ref.Subresource == "eviction" && event.Verb == "create"
}
