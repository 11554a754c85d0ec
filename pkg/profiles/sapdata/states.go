// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// pair is a state in the words of the controller and of this server.
type pair struct {
	there string
	here  v1beta1.ProfileState
}

// pairs begin with the state that matters least for a node.
var pairs = []pair{
	{"operational", v1beta1.ProfileOperational},
	{"maintenance-required", v1beta1.ProfileMaintenanceRequired},
	{"in-maintenance", v1beta1.ProfileInMaintenance},
}

// States are the states in the words of the controller.
func States() []string {
	var names []string
	for _, p := range pairs {
		names = append(names, p.there)
	}
	return names
}

// State returns the state that the controller calls so; empty if there is none.
func State(there string) v1beta1.ProfileState {
	i := slices.IndexFunc(pairs, func(p pair) bool { return p.there == there })
	if i < 0 {
		return ""
	}
	return pairs[i].here
}

// StateName returns what the controller calls a state. One that is not known yet is operational.
func StateName(here v1beta1.ProfileState) string { return pairs[rank(here)].there }

func rank(here v1beta1.ProfileState) int {
	return max(0, slices.IndexFunc(pairs, func(p pair) bool { return p.here == here }))
}
