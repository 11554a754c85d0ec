// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package expression

import "time"

const (
	defaultRandomRuns = 400
	// maxTook is how much time of a processor an evaluation takes at most, with what is not counted.
	maxTook = time.Second
)
