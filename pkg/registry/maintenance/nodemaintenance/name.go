// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

const (
	formerMaxNodeInName = 244
	formerNameDigits    = 8
)

var holdName = regexp.MustCompile(`^(.+)-[0-9a-f]{32}$`)

// FormerHoldName is the name that earlier versions of the server gave a hold that is created through
// nodes/maintenance; today's is v1beta1.HoldName. The store may still have it.
func FormerHoldName(node, requestor string) string {
	sum := sha256.Sum256([]byte(requestor))
	return node[:min(len(node), formerMaxNodeInName)] + "-" + hex.EncodeToString(sum[:])[:formerNameDigits]
}

// NodeInHoldName returns the node, cut to 220 characters, in a name that v1beta1.HoldName can return for some
// requestor; false for other names.
func NodeInHoldName(name string) (string, bool) {
	if parts := holdName.FindStringSubmatch(name); parts != nil {
		return parts[1], true
	}
	return "", false
}
