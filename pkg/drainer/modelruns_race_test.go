// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build race

package drainer

// defaultModelRuns is less under the race detector, which is some ten times slower.
const defaultModelRuns = 200
