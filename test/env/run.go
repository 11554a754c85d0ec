// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// sideBySide is how many parallel tests of a package run at a time. They wait more
// than they compute, so it is more than there are processors.
const sideBySide = "10"

var current *Env

// Main runs a package's tests, ten of the parallel ones at a time unless -parallel
// says otherwise, and returns the exit code. TestMain calls it. The control plane is
// the one that DirVariable names, which other packages use too; where it names none,
// one of the package's own.
func Main(m *testing.M) int {
	runSideBySide()
	if dir := os.Getenv(DirVariable); dir != "" {
		return run(m, func(ctx context.Context) (*Env, error) { return attach(ctx, dir) }, (*Env).check)
	}
	return MainAlone(m)
}

// MainAlone is Main for tests that stop the server: the control plane is always the
// package's own, and -parallel is as Go sets it.
func MainAlone(m *testing.M) int {
	return run(m, Start, (*Env).Stop)
}

// MainWith is Main with a control plane that is always the package's own, and other
// options of our server than ServerOptions.
func MainWith(m *testing.M, options localcluster.ServerOptions) int {
	runSideBySide()
	return run(m, func(ctx context.Context) (*Env, error) { return StartWith(ctx, options) }, (*Env).Stop)
}

func runSideBySide() {
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
}

func run(m *testing.M, start func(context.Context) (*Env, error), end func(*Env) error) int {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var err error
	if current, err = start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	code := m.Run()
	if err := end(current); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	return code
}

// Current returns the control plane that Main or MainAlone was given.
func Current(t testing.TB) *Env {
	t.Helper()
	if current == nil {
		t.Fatal("no control plane: the package's TestMain must call env.Main or env.MainAlone")
	}
	return current
}
