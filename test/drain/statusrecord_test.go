// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// statusRecord is every version of a pool's holds, as a watch showed them.
type statusRecord struct {
	mu      sync.Mutex
	byHold  map[types.UID][]seenHold
	stop    context.CancelFunc
	stopped chan struct{}
}

// seenHold is one version of a hold, and when it was seen.
type seenHold struct {
	*v1beta1.NodeMaintenance
	at time.Time
}

func recordStatuses(t *testing.T, p *env.Pool) *statusRecord {
	t.Helper()
	// Not the test's context: what happens until the pool is removed counts.
	ctx, stop := context.WithCancel(context.Background())
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	list, err := holds.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatalf("could not list NodeMaintenances: %v", err)
	}
	watched, err := holds.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatalf("could not watch NodeMaintenances: %v", err)
	}
	r := &statusRecord{byHold: map[types.UID][]seenHold{}, stop: stop, stopped: make(chan struct{})}
	go r.run(watched, p.Name)
	return r
}

func (r *statusRecord) run(watched watch.Interface, prefix string) {
	defer close(r.stopped)
	for event := range watched.ResultChan() {
		hold, isHold := event.Object.(*v1beta1.NodeMaintenance)
		if isHold && strings.HasPrefix(hold.Name, prefix) {
			r.mu.Lock()
			r.byHold[hold.UID] = append(r.byHold[hold.UID], seenHold{NodeMaintenance: hold, at: time.Now()})
			r.mu.Unlock()
		}
	}
}

// of returns the versions of a hold up to this one, the oldest first. It waits for this one: a watch may be
// behind what a get shows.
func (r *statusRecord) of(t *testing.T, hold *v1beta1.NodeMaintenance) (versions []seenHold) {
	t.Helper()
	env.Eventually(t, "record of "+hold.Name, func(context.Context) string {
		r.mu.Lock()
		defer r.mu.Unlock()
		versions = append([]seenHold(nil), r.byHold[hold.UID]...)
		if !slices.ContainsFunc(versions, func(v seenHold) bool { return v.ResourceVersion == hold.ResourceVersion }) {
			return fmt.Sprintf("none of %d versions is %s", len(versions), hold.ResourceVersion)
		}
		return ""
	})
	return versions
}

// check ends the record and reports what no hold must ever have said.
func (r *statusRecord) check(t *testing.T) {
	t.Helper()
	select {
	case <-r.stopped:
		t.Error("the watch of NodeMaintenances ended before the test did, so not every status was checked")
	default:
	}
	r.stop()
	<-r.stopped
	for _, versions := range r.byHold {
		for _, fault := range faults(versions) {
			t.Errorf("%s: %s", versions[0].Name, fault)
		}
	}
}
