// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// renewal is how often a kube-apiserver renews its leases. Nothing else writes into an idle cluster.
	renewal = 10 * time.Second
	// quietTime is how long a test needs that nothing else is written.
	quietTime = 6 * time.Second
	// settled is the time for which nothing was written in a cluster whose controllers have nothing left to do.
	settled = 2 * time.Second
)

// prepareQuiet makes the namespaces that the quiet tests use, with what controllers put into each.
func prepareQuiet(t *testing.T) {
	t.Helper()
	used := []string{"1", "2", "3", "4", "default", "first", "second", "third", "fourth", "fifth", "ns-foo", "other-ns-foo"}
	for _, namespace := range used {
		if err := ensureNamespace(t.Context(), prefix+namespace); err != nil {
			t.Fatal(err)
		}
	}
	core := current.Client().CoreV1()
	for _, namespace := range used {
		env.Eventually(t, "namespace "+namespace+" is complete", func(ctx context.Context) string {
			_, noAccount := core.ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
			_, noCA := core.ConfigMaps(namespace).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			if err := errors.Join(noAccount, noCA); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// awaitQuiet returns when nothing was written for a while, and no lease is to be renewed within the next seconds.
func awaitQuiet(t *testing.T) {
	t.Helper()
	revision, since := "", time.Time{}
	env.Eventually(t, "the cluster is idle", func(ctx context.Context) string {
		leases, err := current.Client().CoordinationV1().Leases("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		if leases.ResourceVersion != revision {
			revision, since = leases.ResourceVersion, time.Now()
		}
		if idle := time.Since(since); idle < settled {
			return fmt.Sprintf("revision %s was written within the last %s", revision, idle)
		}
		for _, lease := range leases.Items {
			left := renewal - time.Since(lease.Spec.RenewTime.Time)
			if left < quietTime {
				return fmt.Sprintf("lease %s is renewed in %s", lease.Name, left)
			}
		}
		return ""
	})
}
