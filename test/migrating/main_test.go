// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package migrating follows docs/migrating.md: a cluster goes over from the node-maintenance operator to
// our server, and back.
package migrating

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.MainAlone(m)) }
