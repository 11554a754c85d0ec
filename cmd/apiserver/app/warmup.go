// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// warmUp is how long a cluster may refuse what it allows later, about 5 seconds in all: one that is just
// starting answers before it knows its roles and tokens.
var warmUp = wait.Backoff{Duration: 150 * time.Millisecond, Factor: 2, Steps: 6}

// retryRefused asks the cluster again while it refuses the request, for as long as warmUp says. It
// returns other errors at once.
func retryRefused(ctx context.Context, ask func(context.Context) error) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, warmUp, func(ctx context.Context) (bool, error) {
		if last = ask(ctx); refused(last) {
			klog.FromContext(ctx).V(2).Info("The cluster refuses a request. If it is just starting, that passes", "err", last)
			return false, nil
		}
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

func refused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }

// unreachable is the error for an admin, if the cluster could not be asked.
func unreachable(host string, err error) error {
	hint := ""
	switch {
	case apierrors.IsForbidden(err):
		hint = ": bind the server's roles, which are in artifacts/install.yaml; a cluster that is just starting needs some seconds until they count"
	case apierrors.IsUnauthorized(err):
		hint = ": renew the token or certificate; a cluster that is just starting needs some seconds until it knows tokens"
	}
	return fmt.Errorf("could not reach the cluster at %s: %w%s", host, err, hint)
}
