// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"maps"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Profile is a NodeProfile, and what the controller calls its profile.
type Profile struct {
	// Alias is the name of the profile in labels.
	Alias string
	// NodeProfile is where it is on the node.
	NodeProfile *v1beta1.NodeProfile
}

// NodeState returns the value of the label v1beta1.StateLabel for a node with these profiles: the state that matters
// most.
func NodeState(profiles []Profile) string {
	most := 0
	for _, p := range profiles {
		most = max(most, rank(p.NodeProfile.Status.State))
	}
	return pairs[most].there
}

// Of returns the annotation of a node with these profiles. Named are those that its label names. Before is what the annotation
// was; it tells what is not in the NodeProfiles: when notifiers have sent that have not sent since, since when a node has no
// profile, and since when one is operational that has not come yet, or that has just come. Created is when the node was.
func Of(profiles []Profile, named []string, before Data, created time.Time) Data {
	data := Data{Profiles: map[string]*ProfileData{}, Notifications: map[string]time.Time{}}
	maps.Copy(data.Notifications, before.Notifications)
	for _, p := range profiles {
		status := &p.NodeProfile.Status
		if status.State == "" {
			continue
		}
		data.Profiles[p.Alias] = profileData(status)
		if known := before.Profiles[p.Alias]; len(status.History) == 0 && known.isOperational() && known.Transition.Before(data.Profiles[p.Alias].Transition) {
			data.Profiles[p.Alias].Transition = known.Transition.UTC()
		}
		addNotifications(data.Notifications, status)
	}
	for _, name := range named {
		if known := before.Profiles[name]; data.Profiles[name] == nil && known.isOperational() {
			data.Profiles[name] = known
		}
	}
	if len(profiles) == 0 && len(named) == 0 {
		data.Profiles[DefaultProfile] = noProfile(before, created)
	}
	return data
}

// isOperational says whether the profile is known, and has entered operational.
func (p *ProfileData) isOperational() bool {
	operational := StateName(v1beta1.ProfileOperational)
	return p != nil && p.Current == operational && p.Previous == operational
}

func profileData(status *v1beta1.NodeProfileStatus) *ProfileData {
	current := StateName(status.State)
	made := &ProfileData{Current: current, Previous: current}
	if status.Since != nil {
		made.Transition = status.Since.UTC()
	}
	if t := status.Transition; t != nil && t.Phase == v1beta1.PhaseEnter {
		made.Previous = StateName(t.From)
	}
	return made
}

func addNotifications(sent map[string]time.Time, status *v1beta1.NodeProfileStatus) {
	for _, n := range status.Notifications {
		if n.SentTime != nil && n.SentTime.After(sent[n.Notifier]) {
			sent[n.Notifier] = n.SentTime.UTC()
		}
	}
}

func noProfile(before Data, created time.Time) *ProfileData {
	operational := StateName(v1beta1.ProfileOperational)
	if known := before.Profiles[DefaultProfile]; known != nil {
		created = known.Transition
	}
	return &ProfileData{Transition: created.UTC(), Current: operational, Previous: operational}
}
