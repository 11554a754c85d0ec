// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import "slices"

// names are names of nodes, sorted, each once.
type names []string

func (n *names) add(name string) {
	if at, found := slices.BinarySearch(*n, name); !found {
		*n = slices.Insert(*n, at, name)
	}
}

func (n *names) remove(name string) {
	if at, found := slices.BinarySearch(*n, name); found {
		*n = slices.Delete(*n, at, at+1)
	}
}
