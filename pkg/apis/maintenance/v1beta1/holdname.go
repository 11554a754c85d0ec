// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	// maxNodeInName leaves room in a name of 253 characters for a dash and the digits.
	maxNodeInName = 220
	// nameDigits are 128 bits: nobody finds a user name that gives another user's name of a hold.
	nameDigits = 32
)

// HoldName is the name of the NodeMaintenance of a requestor that is made through nodes/maintenance, or by a profile. It
// is always the same for one node and requestor, so that the store itself refuses a second hold. The server refuses it to
// everybody else.
func HoldName(node, requestor string) string {
	sum := sha256.Sum256([]byte(requestor))
	return node[:min(len(node), maxNodeInName)] + "-" + hex.EncodeToString(sum[:])[:nameDigits]
}
