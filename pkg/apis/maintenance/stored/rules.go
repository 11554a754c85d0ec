// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"reflect"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// rules say what of the objects of a kind lasts while other parts of them change. Each object below the stored one is
// named by the fields that lead to it. One that is not named is a record: it says something as a whole.
type rules struct {
	// parents are the objects whose fields say something each for itself, so that one that is not known holds
	// whatever becomes of the others.
	parents []string
	// identities are the known fields by which a parent, or an item of a list, is the same as before although others
	// of its fields have changed.
	identities map[string][]string
}

// kinds has the rules of each kind that is stored. What is not known of a status was said of one node. What is not
// known of a condition was said while it was True, or while it was not. What is not known of an entry of the ledger was
// said of one maintenance of a node, what is not known of a transition of one with its id.
var kinds = map[string]rules{
	"NodeMaintenance": {
		parents:    []string{"", "metadata", "spec", "spec.drain", "status"},
		identities: map[string][]string{"status": {"nodeUID"}, "status.conditions": {"type", "status"}},
	},
	"MaintenancePolicy": {
		parents: []string{
			"", "metadata", "spec", "spec.limits", "spec.pace", "spec.autoStop", "spec.schedule", "spec.approvals", "spec.gates",
			"spec.queue", "spec.events", "spec.events.replacement", "status",
		},
		identities: map[string][]string{"status.conditions": {"type", "status"}},
	},
	"MaintenanceLedger": {
		parents: []string{"", "metadata", "spec"},
		identities: map[string][]string{
			"spec.entries":       {"node", "nodeUID", "admittedTime"},
			"spec.inMaintenance": {"node", "nodeUID", "profile", "since"},
		},
	},
	"MaintenanceProfile": {
		parents: []string{
			"", "metadata", "spec", "spec.nodes", "spec.states", "spec.states.operational", "spec.states.maintenanceRequired",
			"spec.states.inMaintenance", "status",
		},
		identities: map[string][]string{"status.conditions": {"type", "status"}},
	},
	"MaintenanceEndpoint": {parents: []string{"", "metadata", "spec", "status"}},
	"NodeProfile": {
		parents: []string{"", "metadata", "spec", "status", "status.transition"},
		identities: map[string][]string{
			"status":               {"nodeUID"},
			"status.transition":    {"id"},
			"status.notifications": {"id"},
			"status.conditions":    {"type", "status"},
		},
	},
	"ScheduledEvent": {
		parents: []string{"", "metadata", "spec", "status", "status.replacement"},
		identities: map[string][]string{
			"status":            {"nodeUID"},
			"status.conditions": {"type", "status"},
		},
	},
}

// kindOf is the kind of an object. The types bear the names of the kinds.
func kindOf(object v1beta1.Stored) string { return reflect.TypeOf(object).Elem().Name() }

func (r rules) isParent(at []string) bool { return slices.Contains(r.parents, strings.Join(at, ".")) }

// identity is what an object at the path must have to be the same as before; nil when it is the same whatever it
// has. A field that it does not have is nil there.
func (r rules) identity(at []string, object map[string]any) map[string]any {
	names := r.identities[strings.Join(at, ".")]
	if len(names) == 0 {
		return nil
	}
	same := map[string]any{}
	for _, name := range names {
		same[name] = object[name]
	}
	return same
}
