// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"cmp"
	"strings"
)

// compareEntries orders by file, line and key.
func compareEntries(a, b Entry) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Key, b.Key))
}

// dropUnder drops what was taken over of the keys that begin with a path: nothing uses it.
func (r *Report) dropUnder(at Place, why string) {
	for place, entry := range r.entries {
		if place.File == at.File && strings.HasPrefix(place.Key, at.Key) && entry.Outcome < Dropped {
			r.say(place, Dropped, why)
		}
	}
}
