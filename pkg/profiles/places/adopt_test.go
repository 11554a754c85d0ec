// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A place that another controller has given is entered once, whichever profiles adopt it.
func TestAddPools(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	pools := func(profile, node string, taken time.Time) []v1beta1.LedgerPool {
		return []v1beta1.LedgerPool{{Name: "kube-system/step", Grants: []v1beta1.LedgerGrant{
			{Node: node, Profile: profile, Time: metav1.NewMicroTime(taken), Seconds: 60},
		}}}
	}
	spec := &v1beta1.MaintenanceLedgerSpec{}
	for _, step := range []struct {
		name      string
		pools     []v1beta1.LedgerPool
		wantAdded bool
		wantTaken int
	}{
		{"a place", pools("a", "worker-1", now), true, 1},
		{"the same again", pools("a", "worker-1", now), false, 1},
		{"the same for another profile", pools("b", "worker-1", now), false, 1},
		{"one whose time is over", pools("a", "worker-2", now.Add(-time.Minute)), false, 1},
		{"another place", pools("b", "worker-2", now), true, 2},
	} {
		added := AddPools(spec, step.pools, now)
		if taken := len(spec.Pools[0].Grants); added != step.wantAdded || taken != step.wantTaken {
			t.Errorf("%s: added %t, %d places taken, want %t, %d", step.name, added, taken, step.wantAdded, step.wantTaken)
		}
	}
}
