// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

var current *localcluster.Cluster

func TestMain(m *testing.M) {
	skipExceptions()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	var err error
	if current, err = localcluster.Start(ctx, localcluster.Options{Log: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = current.Stop(ctx)
	cancel()
	os.Exit(code)
}
