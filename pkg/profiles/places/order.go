// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"cmp"
	"time"
)

// Candidate is a NodeProfile that waits for a grant.
type Candidate struct {
	// Key is the name of the NodeProfile.
	Key string
	// Priority is that of the profile.
	Priority int32
	// Since is the time since which the state lasts.
	Since time.Time
	// Place is the place of the profile in the label of its node, from 0.
	Place int
}

// Compare orders candidates as they are served: those of a higher priority first, then those that wait longest, then as
// the label of the node names the profiles, then by name.
func Compare(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Since.Compare(b.Since), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Key, b.Key))
}
