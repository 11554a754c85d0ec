// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// maxObjectName is how many characters names of objects have.
	maxObjectName = 253
	// nameHash is how many characters of a hash tell a name that was cut from others.
	nameHash = 16
)

// AliasOrName is the name of a profile in labels of nodes, in checks and in templates: its alias, or else its name.
func (p *MaintenanceProfile) AliasOrName() string { return cmp.Or(p.Spec.Alias, p.Name) }

// NodeProfileName is the name of the NodeProfile of a profile on a node: both names with a dot between them. One that
// would be too long is cut, and ends with a hash of the whole.
func NodeProfileName(node, profile string) string {
	name := node + "." + profile
	if len(name) <= maxObjectName {
		return name
	}
	hash := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:maxObjectName-nameHash-2], "-.") + ".h" + hex.EncodeToString(hash[:])[:nameHash]
}
