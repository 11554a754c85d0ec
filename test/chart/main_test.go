// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package chart tests the Helm chart: what it renders, what it refuses, and that it can be installed, upgraded, rolled
// back and uninstalled on a real control plane.
package chart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// startTimeout bounds the start and the end of the control plane.
const startTimeout = 6 * time.Minute

// folder is where the chart is.
var folder = filepath.Join("..", "..", "chart")

var cluster *localcluster.Cluster

// TestMain starts a control plane of the package's own, without our server, which Helm installs.
func TestMain(m *testing.M) { os.Exit(withCluster(m.Run)) }

// withCluster runs tests beside the control plane, and returns what the process is to exit with.
func withCluster(tests func() int) (code int) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var err error
	if cluster, err = localcluster.Start(ctx, localcluster.Options{Nodes: 3, Log: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	code = tests()
	if err := cluster.Stop(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	return code
}

func kubectl() *env.Kubectl { return (&env.Env{Cluster: cluster}).Kubectl() }

// render returns what Helm makes of the chart with these values and further flags of Helm.
func render(t *testing.T, values []string, flags ...string) (string, error) {
	t.Helper()
	args := append([]string{"template", localcluster.ServerName, folder}, flags...)
	for _, value := range values {
		args = append(args, "--set", value)
	}
	return cluster.Helm(t.Context(), args...)
}

// image is what every installation needs.
const image = "image.repository=registry.example/maintenance-apiserver,image.tag=v1.2.3"

func wantContains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: want %q in:\n%s", what, part, text)
		}
	}
}
