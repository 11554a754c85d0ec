// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package legacy replays what is documented of the node-maintenance operators, through each of their
// API groups, as their users, scripts and clients do.
package legacy

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) {
	options := env.ServerOptions()
	options.Legacy = true
	options.ExtraArgs = []string{"--drain-taints=kubevirt.io/drain:NoSchedule"}
	os.Exit(env.MainWith(m, options))
}
