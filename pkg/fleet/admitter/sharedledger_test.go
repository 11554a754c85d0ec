// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// Dry runs in a loop read the ledger once a second. An error is not remembered.
func TestExplanationsShareTheLedger(t *testing.T) {
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	clock := clocktesting.NewFakePassiveClock(start)
	reads, failure := 0, error(nil)
	client := fake.NewClientset()
	client.PrependReactor("get", "maintenanceledgers", func(clienttesting.Action) (bool, runtime.Object, error) {
		reads++
		return true, &v1beta1.MaintenanceLedger{
			ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName}, Spec: v1beta1.MaintenanceLedgerSpec{Epoch: int64(reads)},
		}, failure
	})
	shared := &sharedLedger{client: client.MaintenanceV1beta1().MaintenanceLedgers(), clock: clock}
	for _, step := range []struct {
		name      string
		at        time.Duration
		failure   error
		wantEpoch int64
		wantReads int
	}{
		{"the first", 0, nil, 1, 1},
		{"just before the second is over", time.Second - 1, nil, 1, 1},
		{"after a second", time.Second, nil, 2, 2},
		{"the clock was set back", -time.Hour, nil, 3, 3},
		{"no answer", time.Hour, errors.New("boom"), 0, 4},
		{"an answer again", time.Hour, nil, 5, 5},
	} {
		clock.SetTime(start.Add(step.at))
		failure = step.failure
		spec, err := shared.spec(t.Context())
		if spec.Epoch != step.wantEpoch || reads != step.wantReads || !errors.Is(err, step.failure) {
			t.Errorf("%s: got epoch %d after %d reads, %v, want %d after %d, %v", step.name, spec.Epoch, reads, err, step.wantEpoch, step.wantReads, step.failure)
		}
	}
}
