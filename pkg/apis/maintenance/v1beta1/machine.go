// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "strings"

// InstanceID is the id of a machine at its cloud: the last part of the spec.providerID of its node. It is empty for a node
// that has none.
func InstanceID(providerID string) string {
	return providerID[strings.LastIndexByte(providerID, '/')+1:]
}

// HasRebooted says whether a machine has started anew: it had one boot ID, and has another one now. An empty one is not
// known, and says nothing.
func HasRebooted(before, now string) bool {
	return before != "" && now != "" && now != before
}
