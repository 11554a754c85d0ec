// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// stop says how to stop the server.
const stop = "stop the server first (kubectl -n maintenance-system scale deployment maintenance-apiserver --replicas=0), and wait " +
	"until its pods are gone"

// running finds out whether a server runs.
type running struct {
	client kubernetes.Interface
	lease  types.NamespacedName
}

func newRunning(config *rest.Config, lease types.NamespacedName) (*running, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	return &running{client: client, lease: lease}, nil
}

// check returns an error if a server runs, or if that cannot be found out.
func (r *running) check(ctx context.Context) error {
	if err := r.checkAPI(ctx); err != nil {
		return err
	}
	return r.checkLease(ctx, time.Now())
}

// checkAPI asks for what a server would answer through the cluster's API.
func (r *running) checkAPI(ctx context.Context) error {
	err := r.client.Discovery().RESTClient().Get().AbsPath("/apis/" + v1beta1.SchemeGroupVersion.String()).Do(ctx).Error()
	switch {
	case err == nil:
		return fmt.Errorf("a server answers for %s: %s", v1beta1.SchemeGroupVersion, stop)
	case apierrors.IsNotFound(err), apierrors.IsServiceUnavailable(err):
		return nil
	default:
		return fmt.Errorf("could not find out whether a server answers for %s: %w", v1beta1.SchemeGroupVersion, err)
	}
}

// checkLease looks whether somebody leads.
func (r *running) checkLease(ctx context.Context, now time.Time) error {
	lease, err := r.client.CoordinationV1().Leases(r.lease.Namespace).Get(ctx, r.lease.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not read the lease %s, to see whether a server runs: %w", r.lease, err)
	}
	if until := heldUntil(lease); now.Before(until) {
		return fmt.Errorf("%s holds the lease %s until %s: %s", *lease.Spec.HolderIdentity, r.lease, until.Format(time.RFC3339), stop)
	}
	return nil
}

// heldUntil returns when a lease runs out; the zero time if nobody holds it.
func heldUntil(lease *coordinationv1.Lease) time.Time {
	if ptr.Deref(lease.Spec.HolderIdentity, "") == "" || lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Add(time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second)
}
