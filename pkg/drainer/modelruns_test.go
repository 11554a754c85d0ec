// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package drainer

// defaultModelRuns takes some 15 seconds on two cores.
const defaultModelRuns = 2000
