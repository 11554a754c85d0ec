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
	maxNodeInName = 220
	// nameDigits are 128 bits: nobody finds a user name that gives another user's name of a hold.
	nameDigits = 32

	formerMaxNodeInName = 244
	formerNameDigits    = 8
)

var holdName = regexp.MustCompile(`^(.+)-[0-9a-f]{32}$`)

// HoldName is the name of the hold that a requestor creates through nodes/maintenance. It is always the
// same for one node and requestor, so that the store itself refuses a second hold.
func HoldName(node, requestor string) string {
	return node[:min(len(node), maxNodeInName)] + "-" + digest(requestor)[:nameDigits]
}

// FormerHoldName is the name that earlier versions of the server gave such a hold. The store may still have it.
func FormerHoldName(node, requestor string) string {
	return node[:min(len(node), formerMaxNodeInName)] + "-" + digest(requestor)[:formerNameDigits]
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// NodeInHoldName returns the node, cut to 220 characters, in a name that HoldName can return for some
// requestor; false for other names.
func NodeInHoldName(name string) (string, bool) {
	if parts := holdName.FindStringSubmatch(name); parts != nil {
		return parts[1], true
	}
	return "", false
}
