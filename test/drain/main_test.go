// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drain tests the drain engine on a real control plane: who goes and who
// stays, what several holds do to one node, what a drain says when it is stuck,
// and that a node is given back as it was. What must hold of every drain is
// checked at the end of every test; see pool.
package drain

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
