// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package profiles tests on a real control plane what MaintenanceProfiles do with nodes. Each test has nodes of its own, and
// profiles that select no others.
package profiles

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
