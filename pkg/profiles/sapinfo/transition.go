// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import (
	"maps"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// transitionOf shows a transition. It has passed if it waits for nothing besides.
func transitionOf(t *v1beta1.TransitionStatus, status *v1beta1.NodeProfileStatus, profile *v1beta1.MaintenanceProfile) transitionInfo {
	passed := t.Result == v1beta1.CheckTrue
	made := transitionInfo{Passed: passed && t.WaitingFor == "", Target: sapdata.StateName(t.Next)}
	made.Chain = chainInfo{Passed: passed, Info: map[string]checkInfo{}, Expression: chainOf(profile, status.State, t.Name)}
	var failed []string
	for _, name := range namesIn(made.Chain.Expression, status) {
		check := checkOf(name, status, profile)
		made.Chain.Info[name] = check
		if check.Info["error"] != "" {
			failed = append(failed, name)
		}
	}
	if t.Result == v1beta1.CheckError {
		made.Error = "failed check instances: " + strings.Join(failed, ", ")
	}
	return made
}

// chainOf is the chain of a transition; empty if the profile does not have it any more.
func chainOf(profile *v1beta1.MaintenanceProfile, state v1beta1.ProfileState, name string) string {
	spec := profile.Spec.States.Operational
	switch state {
	case v1beta1.ProfileMaintenanceRequired:
		spec = profile.Spec.States.MaintenanceRequired
	case v1beta1.ProfileInMaintenance:
		spec = profile.Spec.States.InMaintenance
	case v1beta1.ProfileOperational:
	}
	for _, transition := range spec.Transitions {
		if transition.Name == name {
			return transition.Check
		}
	}
	return ""
}

// namesIn are the checks of a chain that the status has.
func namesIn(chain string, status *v1beta1.NodeProfileStatus) []string {
	var known []string
	for _, check := range status.Checks {
		known = append(known, check.Name)
	}
	parsed, err := expression.Parse(chain, known)
	if err != nil {
		return nil // the profile has been changed, and is going to be evaluated again
	}
	return parsed.Names()
}

func checkOf(name string, status *v1beta1.NodeProfileStatus, profile *v1beta1.MaintenanceProfile) checkInfo {
	made := checkInfo{ID: typeOf(name, profile), Info: map[string]string{}}
	for _, check := range status.Checks {
		if check.Name != name {
			continue
		}
		made.Passed = check.Result == v1beta1.CheckTrue
		maps.Copy(made.Info, check.Info)
		if check.Message != "" {
			made.Info["reason"] = check.Message
		}
		if check.Result == v1beta1.CheckError {
			made.Info["error"] = check.Message
		}
	}
	return made
}
