// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clusterstore tests the store in the cluster's API with the library's own tests for a store, on a real
// control plane.
package clusterstore

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// timeout bounds the start and the end of the control plane.
const timeout = 3 * time.Minute

var current *localcluster.Cluster

func TestMain(m *testing.M) {
	flag.Parse()
	skipExceptions()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests beside a control plane without our server, which would write into it, too.
func run(m *testing.M) (code int, err error) {
	starting, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if current, err = localcluster.Start(starting, localcluster.Options{Log: os.Stderr}); err != nil {
		return 1, err
	}
	code = m.Run()
	stopping, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return code, current.Stop(stopping)
}
