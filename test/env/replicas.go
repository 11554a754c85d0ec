// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// StartReplicas starts a control plane with several of our servers in it, for Stop to end. Log receives
// lines about progress.
func StartReplicas(ctx context.Context, options localcluster.ReplicasOptions, log io.Writer) (*Env, error) {
	cluster, err := localcluster.Start(ctx, localcluster.Options{Log: log})
	if err != nil {
		return nil, fmt.Errorf("could not start the control plane: %w", err)
	}
	e, err := newEnv(cluster)
	if err == nil {
		e.Replicas, err = cluster.StartReplicas(ctx, options)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("could not start the servers: %w", err), stop(cluster))
	}
	return e, nil
}
