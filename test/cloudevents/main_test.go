// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cloudevents tests on a real control plane what ScheduledEvents do with nodes and machines. Each test has nodes of
// its own. Those that have machines share a control plane that serves both machine APIs, and whose server may be killed.
package cloudevents

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
