// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// fill is in the labels of holds that fill the store and are deleted again, and in the annotations
// of all that fill it.
const fill = "fill"

// deletedShare is the share of the holds (one in so many) that are deleted at once. The store has less than a
// fifth of its quota left for that, and each delete writes the hold once more.
const deletedShare = 10

// slowDisk is what etcd says when its disk took more than five seconds for a write.
const slowDisk = "etcdserver: request timed out"

// TestNearlyFullStore fills a small store with holds: new ones are refused before it is full, those
// that it has go on and can be ended, and then there is space again, without a restart.
func TestNearlyFullStore(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	replaceServer(t, localcluster.ServerOptions{
		DataDir:   filepath.Join(t.TempDir(), "data"),
		ExtraArgs: []string{"--embedded-etcd-quota-bytes=16777216", "--etcd-compaction-interval=1s"},
	})
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	kept := pool.Hold("kept", pool.Nodes[0])
	kept.Spec.Stage = v1beta1.StageCordon
	pool.Create(t, kept)

	filled := fillStore(t, pool)
	t.Logf("the store refused one more hold after %d", filled)
	raw := "/apis/maintenance.medik8s.io/v1beta1/nodes/" + pool.Nodes[0] + "/maintenance?dryRun=All"
	out := pool.Kubectl().Try(t, "{}", "create", "--raw", raw, "-f", "-")
	if want := "Error from server (InsufficientStorage): nodemaintenances.maintenance.medik8s.io"; out.Code != 1 || !strings.HasPrefix(out.Stderr, want) {
		t.Errorf("kubectl ended with %d and %q, want it to say %q", out.Code, out.Stderr, want)
	}

	patch := []byte(`{"spec":{"stage":"Drain"}}`)
	if _, err := holds.Patch(t.Context(), kept.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Errorf("could not change a hold: %v", err)
	}
	pool.WaitForHold(t, kept.Name, "the status goes on", env.Drained)
	pool.Delete(t, kept.Name)
	wantClean(t, pool)

	selected := metav1.ListOptions{LabelSelector: fill}
	// On a busy machine etcd may compact so late that what the deletes write finds no space; seconds later it does.
	env.Eventually(t, "a tenth of the holds is deleted", func(ctx context.Context) string {
		if err := holds.DeleteCollection(ctx, metav1.DeleteOptions{}, selected); err != nil {
			return err.Error()
		}
		return ""
	})
	env.Eventually(t, "a hold is created again", func(ctx context.Context) string {
		_, err := holds.Create(ctx, pool.Hold("after", pool.Nodes[0]), metav1.CreateOptions{})
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// fillStore creates holds until one is refused, and returns how many there are then.
func fillStore(t *testing.T, pool *env.Pool) int {
	t.Helper()
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	const enough = 4096
	for i := range enough {
		name := fmt.Sprintf("filler-%d", i)
		hold := pool.Hold(name, pool.Name+"-"+name)
		hold.Annotations = map[string]string{fill: strings.Repeat("x", 28<<10)}
		if i%deletedShare == 0 {
			hold.Labels = map[string]string{fill: ""}
		}
		_, err := holds.Create(t.Context(), hold, metav1.CreateOptions{})
		if err == nil || strings.Contains(err.Error(), slowDisk) {
			continue // after a slow write, the next one tells whether there is space
		}
		wantNearlyFull(t, err)
		return i
	}
	t.Fatalf("none of %d holds was refused", enough)
	return 0
}

func wantNearlyFull(t *testing.T, err error) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusInsufficientStorage {
		t.Fatalf("a hold was refused with %v, want status %d", err, http.StatusInsufficientStorage)
	}
	for _, want := range []string{"was not created: the store is nearly full", "of 16 MiB", "larger --embedded-etcd-quota-bytes"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the refusal does not say %q: %v", want, err)
		}
	}
}
