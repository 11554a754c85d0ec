// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	// maxNodeInName leaves room in a name of 253 characters for a dash and the digits.
	maxNodeInName   = 244
	requestorDigits = 8
)

// HoldName is what the server calls the hold that a requestor creates through nodes/maintenance.
// It is the same each time, so that the store itself refuses a second one.
func HoldName(node, requestor string) string {
	sum := sha256.Sum256([]byte(requestor))
	return node[:min(len(node), maxNodeInName)] + "-" + hex.EncodeToString(sum[:])[:requestorDigits]
}
