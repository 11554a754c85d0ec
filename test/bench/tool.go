// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// The tools that are measured.
const (
	toolOurs    = "ours"
	toolKubectl = "kubectl"
	toolFloor   = "floor"
)

// tool takes nodes out of service and gives them back.
type tool interface {
	// user is who makes the tool's requests to kube-apiserver.
	user() string
	// prepare does what is to be ready before the clock starts.
	prepare(ctx context.Context, w *workload, nodes []string) error
	// drain returns when the tool says that the nodes are empty, with when it
	// said so of each; a tool that never says so returns nil at once or when
	// there is nothing left for it to do.
	drain(ctx context.Context, nodes []string) (map[string]time.Time, error)
	// giveBack returns when pods can be scheduled to the nodes again.
	giveBack(ctx context.Context, nodes []string) error
}

func serviceAccountUser(namespace, name string) string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", namespace, name)
}

// serverUser is our server in kube-apiserver's audit log.
func serverUser() string {
	return serviceAccountUser(localcluster.ServerNamespace, localcluster.ServerName)
}

// loadConfig reads a kubeconfig for a client without a rate limit.
func loadConfig(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("could not load kubeconfig: %w", err)
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{} // a node that does not exist is worth one
	return config, nil
}

// inParallel calls f for each item, at most limit at a time, and returns all errors.
func inParallel[T any](items []T, limit int, f func(item T) error) error {
	errs := make([]error, len(items))
	workqueue.ParallelizeUntil(context.Background(), limit, len(items), func(i int) { errs[i] = f(items[i]) })
	return errors.Join(errs...)
}
