// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fleet tests on a real control plane when MaintenancePolicies let nodes go. Each test has nodes
// of its own, and policies that select no others.
package fleet

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
