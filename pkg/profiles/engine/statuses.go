// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/gauges"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// statusInterval is how long after one look at the statuses of profiles the next one may follow.
const statusInterval = 3 * time.Second

// statuses writes the statuses of profiles, beside the visits, and lets profiles go that are deleted.
type statuses struct {
	*term
	changed workloop.Bell
}

func newStatuses(t *term) *statuses { return &statuses{term: t, changed: workloop.NewBell()} }

// kick has the statuses looked at soon. It never blocks.
func (s *statuses) kick() { s.changed.Ring() }

// run writes statuses until ctx is done. When nothing is left to be done, it calls idle.
func (s *statuses) run(ctx context.Context, idle func()) {
	for ctx.Err() == nil {
		again := s.writeAll(ctx)
		s.lookAdopted()
		if s.isIdle() && len(s.admitter.known().InMaintenance) == 0 {
			idle()
			return
		}
		s.admitter.pause(ctx, statusInterval)
		if again {
			continue
		}
		s.changed.Await(ctx, s.config.Clock, 0)
	}
}

// writeAll brings all profiles up to date. It says whether one could not be written.
func (s *statuses) writeAll(ctx context.Context) (failed bool) {
	profiles, lacks := s.stored(), s.room.lacks()
	s.gauge(profiles, lacks)
	for _, profile := range profiles {
		if err := s.update(ctx, profile, lacks[profile.Name]); err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			failed = true
			if !apierrors.IsConflict(err) {
				klog.FromContext(ctx).Error(err, "Could not write the status of a profile", "profile", profile.Name)
			}
		}
	}
	return failed
}

// stored are all profiles that can be read.
func (s *statuses) stored() (profiles []*v1beta1.MaintenanceProfile) {
	for _, object := range s.profiles.GetStore().List() {
		if profile, is := object.(*v1beta1.MaintenanceProfile); is && v1beta1.WhyUnreadable(profile) == "" {
			profiles = append(profiles, profile)
		}
	}
	return profiles
}

// gauge says how many nodes the profiles are on, before anything is written, which takes longer.
func (s *statuses) gauge(profiles []*v1beta1.MaintenanceProfile, lacks map[string]int) {
	total := 0
	for _, lack := range lacks {
		total += lack
	}
	lackingNodeProfiles.Set(float64(total))
	maxNodeProfiles.Set(float64(s.config.MaxNodeProfiles))
	var nodes gauges.Values
	stopped := 0
	for _, profile := range profiles {
		if s.crash(profile) != nil {
			stopped++
		}
		counts := s.counts(profile.Name)
		for state, count := range map[v1beta1.ProfileState]int32{
			v1beta1.ProfileOperational: counts.Operational, v1beta1.ProfileMaintenanceRequired: counts.MaintenanceRequired,
			v1beta1.ProfileInMaintenance: counts.InMaintenance,
		} {
			nodes.Add(float64(count), profile.Name, string(state))
		}
	}
	nodesInState.Replace(nodes)
	profilesStopped.Set(float64(stopped))
	keepCounters(profiles)
}

// update writes the status of a profile if it says something else. lacks is on how many nodes there is no room for it. One that is being deleted goes once it is off all
// nodes.
func (s *statuses) update(ctx context.Context, profile *v1beta1.MaintenanceProfile, lacks int) error {
	next := profile.DeepCopy()
	next.Status.ObservedGeneration, next.Status.Counts, next.Status.Crash = profile.Generation, s.counts(profile.Name), s.crash(profile)
	conditions := []metav1.Condition{s.validCondition(profile), actingCondition(s.idle(profile, ""))}
	if lacks > 0 {
		conditions = append(conditions, s.noRoomCondition(lacks))
	} else {
		apimeta.RemoveStatusCondition(&next.Status.Conditions, v1beta1.ConditionAttached)
	}
	for _, condition := range conditions {
		condition.ObservedGeneration = profile.Generation
		condition.LastTransitionTime = metav1.NewTime(s.config.Clock.Now().Truncate(time.Second))
		apimeta.SetStatusCondition(&next.Status.Conditions, condition)
	}
	client := s.config.Maintenance.MaintenanceV1beta1().MaintenanceProfiles()
	if profile.DeletionTimestamp != nil && next.Status.Counts.Nodes == 0 {
		return s.letGo(ctx, next)
	}
	if apiequality.Semantic.DeepEqual(profile.Status, next.Status) {
		return nil
	}
	written, err := client.UpdateStatus(ctx, next, metav1.UpdateOptions{})
	if err == nil {
		s.tellCrash(profile, written)
	}
	return err
}

// letGo takes the finalizer off a profile that is off all nodes, as our own server says, and not a cache.
func (s *statuses) letGo(ctx context.Context, profile *v1beta1.MaintenanceProfile) error {
	left := slices.DeleteFunc(slices.Clone(profile.Finalizers), func(f string) bool { return f == v1beta1.DetachFinalizer })
	if len(left) == len(profile.Finalizers) {
		return nil
	}
	client := s.config.Maintenance.MaintenanceV1beta1()
	all, err := client.NodeProfiles().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all.Items, func(n v1beta1.NodeProfile) bool { return n.Spec.Profile == profile.Name }) {
		return nil // the cache is about to show it
	}
	profile.Finalizers = left
	_, err = client.MaintenanceProfiles().Update(ctx, profile, metav1.UpdateOptions{})
	return err
}

// counts are on how many nodes a profile is, by state.
func (s *statuses) counts(profile string) (counts v1beta1.ProfileCounts) {
	for _, nodeProfile := range s.indexed(byProfile, profile) {
		counts.Nodes++
		switch nodeProfile.Status.State {
		case v1beta1.ProfileMaintenanceRequired:
			counts.MaintenanceRequired++
		case v1beta1.ProfileInMaintenance:
			counts.InMaintenance++
		default:
			counts.Operational++
		}
	}
	return counts
}

func (s *statuses) validCondition(profile *v1beta1.MaintenanceProfile) metav1.Condition {
	if _, err := selection.New(profile, s.config.Label); err != nil {
		return metav1.Condition{
			Type: v1beta1.ConditionValid, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNotValid, Message: errorText(err),
		}
	}
	return metav1.Condition{Type: v1beta1.ConditionValid, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonValid}
}

// noRoomCondition says on how many nodes a profile is not.
func (s *statuses) noRoomCondition(lacks int) metav1.Condition {
	return metav1.Condition{
		Type: v1beta1.ConditionAttached, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonTooManyNodeProfiles,
		Message: fmt.Sprintf("it is not on %d of the nodes that it selects: this server has room for %d NodeProfiles of all profiles; "+
			"have profiles select fewer nodes, or raise the server's memory limit", lacks, s.config.MaxNodeProfiles),
	}
}
