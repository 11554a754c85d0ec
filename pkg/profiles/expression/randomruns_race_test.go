// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build race

package expression

import "time"

// The race detector makes an evaluation about thirty times slower.
const (
	defaultRandomRuns = 100
	maxTook           = 20 * time.Second
)
