// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"slices"
	"strings"
)

// marksOfOthers are the marks on nodes that this server sets, and whose keys are not in its group.
var marksOfOthers = []string{DrainTaint, ExcludeFromRemediationLabel, StateLabel}

// IsOwnMark says whether the key of a label, an annotation or a taint of a node, or a finalizer, is one that only this
// server sets. Profiles cannot change it: the server would take a node for held, or for given back, that is not.
func IsOwnMark(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == GroupName || strings.HasSuffix(domain, "."+GroupName) || slices.Contains(marksOfOthers, key)
}
