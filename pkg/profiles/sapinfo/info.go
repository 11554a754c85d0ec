// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// infos are those of all nodes, sorted by name. The profiles are by their names.
func infos(
	nodes []*corev1.Node, nodeProfiles []v1beta1.NodeProfile, profiles map[string]*v1beta1.MaintenanceProfile, labels []string,
) []nodeInfo {
	onNode := map[string][]*v1beta1.NodeProfile{}
	for i := range nodeProfiles {
		name := nodeProfiles[i].Spec.NodeName
		onNode[name] = append(onNode[name], &nodeProfiles[i])
	}
	made := []nodeInfo{}
	for _, node := range nodes {
		made = append(made, infoOf(node, onNode[node.Name], profiles, labels))
	}
	slices.SortFunc(made, func(a, b nodeInfo) int { return strings.Compare(a.Node, b.Node) })
	return made
}

func infoOf(node *corev1.Node, on []*v1beta1.NodeProfile, profiles map[string]*v1beta1.MaintenanceProfile, labels []string) nodeInfo {
	info := nodeInfo{Node: node.Name, Profiles: []profileInfo{}, Labels: map[string]string{}, Updated: node.CreationTimestamp.UTC()}
	for _, label := range labels {
		if value, found := node.Labels[label]; found {
			info.Labels[label] = value
		}
	}
	for _, nodeProfile := range on {
		info.Profiles = append(info.Profiles, profileOf(nodeProfile, profiles[nodeProfile.Spec.Profile]))
		if at := updated(&nodeProfile.Status); at.After(info.Updated) {
			info.Updated = at
		}
	}
	if len(on) == 0 {
		operational := sapdata.StateName(v1beta1.ProfileOperational)
		info.Profiles = append(info.Profiles, profileInfo{
			Name: sapdata.DefaultProfile, State: operational, Applied: appliedInfo{Next: operational, Transitions: []transitionInfo{}},
		})
	}
	return info
}

// updated is the last time that the status knows of.
func updated(status *v1beta1.NodeProfileStatus) time.Time {
	var last time.Time
	if status.Since != nil {
		last = status.Since.UTC()
	}
	for _, check := range status.Checks {
		if check.Since != nil && check.Since.After(last) {
			last = check.Since.UTC()
		}
	}
	return last
}

// profileOf shows a profile on a node. The profile itself may be gone.
func profileOf(nodeProfile *v1beta1.NodeProfile, profile *v1beta1.MaintenanceProfile) profileInfo {
	status := &nodeProfile.Status
	state := sapdata.StateName(status.State)
	info := profileInfo{Name: nodeProfile.Spec.Profile, State: state, Applied: appliedInfo{Next: state, Transitions: []transitionInfo{}}}
	if profile == nil {
		profile = &v1beta1.MaintenanceProfile{}
	} else {
		info.Name = profile.AliasOrName()
	}
	if t := status.Transition; t != nil {
		info.Applied.Next = sapdata.StateName(t.Next)
	}
	for i := range status.Transitions {
		made := transitionOf(&status.Transitions[i], status, profile)
		info.Applied.Transitions = append(info.Applied.Transitions, made)
		if info.Applied.Error == "" && made.Error != "" {
			info.Applied.Error = "had failed transition checks: " + made.Error
		}
	}
	return info
}
