// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
)

func TestPeakMemoryIsInMiB(t *testing.T) {
	touched := make([]byte, 64<<20)
	for i := range touched {
		touched[i] = 1
	}
	peak, err := peakMemory(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if peak < 64 || peak > 64<<10 {
		t.Errorf("a process that used 64 MiB has a peak of %f MiB", peak)
	}
}
