// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

// Labels of nodes: of those that need maintenance, and of one whose label lets all go.
const (
	neededLabel = "bench.example.com/needed"
	goLabel     = "bench.example.com/go"
)

// profile is one of the profiles, with six checks before maintenance starts.
func (c *profilesCase) profile(name string, p *pool) *v1beta1.MaintenanceProfile {
	checks := []v1beta1.ProfileCheck{
		{Name: "needed", NodeLabel: &v1beta1.KeyValueCheck{Key: neededLabel}},
		{Name: "ready", NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: metav1.ConditionTrue}},
		{Name: "enough", NodeCount: &v1beta1.NodeCountCheck{Min: 1}},
		{Name: "window", TimeWindow: &v1beta1.TimeWindowCheck{Start: "00:00", End: "00:00"}},
		{Name: "allowed", AnyNode: &v1beta1.KeyValueCheck{Key: goLabel}},
		{Name: "room", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: int32(c.limit)}}, //nolint:gosec // a flag, below a million
		{Name: "settled", Wait: &v1beta1.WaitCheck{Seconds: 1}},
	}
	to := func(name, check string, next v1beta1.ProfileState) []v1beta1.ProfileTransition {
		return []v1beta1.ProfileTransition{{Name: name, Check: check, Next: next}}
	}
	return &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1beta1.MaintenanceProfileSpec{
			Nodes:    v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{poolLabel: p.name}}},
			OnDetach: v1beta1.DetachRelease, Checks: checks,
			States: v1beta1.ProfileStates{
				Operational: v1beta1.ProfileStateSpec{Transitions: to("required", "needed", v1beta1.ProfileMaintenanceRequired)},
				MaintenanceRequired: v1beta1.ProfileStateSpec{
					Transitions: to("start", "needed && ready && enough && window && allowed && room", v1beta1.ProfileInMaintenance),
				},
				InMaintenance: v1beta1.ProfileStateSpec{
					Hold:        &v1beta1.ProfileHold{Stage: v1beta1.StageCordon},
					Transitions: to("done", "settled", v1beta1.ProfileOperational),
				},
			},
		},
	}
}

func (c *profilesCase) create(ctx context.Context, t *ours, p *pool) error {
	for i := range c.profiles {
		profile := c.profile("profiles-"+strconv.Itoa(i), p)
		if _, err := t.client.MaintenanceV1beta1().MaintenanceProfiles().Create(ctx, profile, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("could not create profile: %w", err)
		}
	}
	return c.untilCounted(ctx, t, func(n v1beta1.ProfileCounts) int32 { return n.Operational })
}

// clear deletes the profiles, which go once they are off all nodes.
func (c *profilesCase) clear(ctx context.Context, t *ours) error {
	profiles := t.client.MaintenanceV1beta1().MaintenanceProfiles()
	if err := profiles.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not delete profiles: %w", err)
	}
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := profiles.List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(list.Items) == 0, err
	})
}

// untilInMaintenance waits until the ledger has so many nodes in maintenance. There is no ledger before the first.
func (o *ours) untilInMaintenance(ctx context.Context, want int) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		stored, err := ledger.Get(ctx, o.client.MaintenanceV1beta1().MaintenanceLedgers())
		return stored != nil && len(stored.Spec.InMaintenance) >= want, err
	})
}

// watchMost counts how many nodes a revision of the ledger has in maintenance, at most, until ctx is done. A watch that a
// restart of the server ends is begun again.
func watchMost(ctx context.Context, t *ours) (most func() int) {
	var count atomic.Int64
	go wait.UntilWithContext(ctx, func(ctx context.Context) {
		ledgers, err := t.client.MaintenanceV1beta1().MaintenanceLedgers().Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return
		}
		defer ledgers.Stop()
		for event := range ledgers.ResultChan() {
			if ledger, isLedger := event.Object.(*v1beta1.MaintenanceLedger); isLedger {
				count.Store(max(count.Load(), int64(len(ledger.Spec.InMaintenance))))
			}
		}
	}, pollInterval)
	return func() int { return int(count.Load()) }
}

// evaluations is how often our server has evaluated the checks of a profile on a node, since it started.
func (b *bench) evaluations(ctx context.Context) (count float64, err error) {
	if !b.server.Running() {
		return 0, nil
	}
	config, err := b.server.Config(ctx)
	if err != nil {
		return 0, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return 0, err
	}
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("could not read the metrics: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "maintenance_profile_evaluations_total "); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, nil // nothing was evaluated yet
}
