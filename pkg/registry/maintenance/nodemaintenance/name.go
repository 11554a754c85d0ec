// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

const (
	// maxNodeInName leaves room in a name of 253 characters for a dash and the digits.
	maxNodeInName   = 244
	requestorDigits = 8
)

var holdName = regexp.MustCompile(`^(.+)-[0-9a-f]{8}$`)

// HoldName is the name of the hold that a requestor creates through nodes/maintenance. It is always the
// same for one node and requestor, so that the store itself refuses a second hold.
func HoldName(node, requestor string) string {
	sum := sha256.Sum256([]byte(requestor))
	return node[:min(len(node), maxNodeInName)] + "-" + hex.EncodeToString(sum[:])[:requestorDigits]
}

// NodeInHoldName returns the node, cut to 244 characters, in a name that HoldName can return for some
// requestor; false for other names.
func NodeInHoldName(name string) (string, bool) {
	if parts := holdName.FindStringSubmatch(name); parts != nil {
		return parts[1], true
	}
	return "", false
}
