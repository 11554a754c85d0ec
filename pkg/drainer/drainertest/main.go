// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Main is for the TestMain of a package with tests in bubbles of their own time; run is m.Run. It returns
// what is to be the exit code. client-go's handlers of background errors sleep by a clock that all tests
// share, which is years ahead of the clock in a bubble.
func Main(run func() int) int {
	utilruntime.ErrorHandlers = nil
	return run()
}
