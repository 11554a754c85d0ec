// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// Helm runs Helm as the admin, in the server's namespace, and returns what it prints.
func (c *Cluster) Helm(ctx context.Context, args ...string) (string, error) {
	return c.helm(ctx, append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
}

// helm runs Helm without a cluster.
func (c *Cluster) helm(ctx context.Context, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.binary(binaries.Helm), append([]string{"--namespace", ServerNamespace}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.Environ(), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("could not run helm %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// ChartArgs are the arguments of Helm after install, upgrade or template: the release, the chart, and the values of a
// server that runs outside the cluster, on loopback. There are no containers, so there is no image.
func (c *Cluster) ChartArgs(values ...string) []string {
	args := []string{ServerName, filepath.Join(c.options.root, "chart")}
	for _, value := range append(c.chartValues(), values...) {
		args = append(args, "--set", value)
	}
	return args
}

// installChart installs the chart by Helm, unless a release is there.
func (c *Cluster) installChart(ctx context.Context) error {
	options := metav1.ListOptions{LabelSelector: "owner=helm,name=" + ServerName}
	releases, err := c.client.CoreV1().Secrets(ServerNamespace).List(ctx, options)
	if err != nil {
		return fmt.Errorf("could not look for a release: %w", err)
	}
	if len(releases.Items) == 0 {
		_, err = c.Helm(ctx, append([]string{"install", "--create-namespace"}, c.ChartArgs()...)...)
	}
	return err
}
