// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }
