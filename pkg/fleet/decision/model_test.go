// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"flag"
	"fmt"
	"testing"
)

var (
	modelRuns = flag.Int("model.runs", 150, "number of runs of TestModel")
	modelSeed = flag.Uint64("model.seed", 0, "seed of the one run of TestModel that is to be repeated; 0: all runs")
	modelFrom = flag.Uint64("model.from", 1, "seed of the first run of TestModel")
)

// TestModel decides over random fleets in which everything changes, with two leaders and writes that are lost, and
// checks at each write of the ledger what is promised of it. What is random comes from the seed of the run.
func TestModel(t *testing.T) {
	first, runs := *modelFrom, *modelRuns
	if *modelSeed != 0 {
		first, runs = *modelSeed, 1
	}
	saw := map[string]int{}
	for seed := first; seed < first+uint64(runs) && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { newModel(t, seed, saw).live() })
	}
	for _, what := range keys(saw) {
		t.Logf("%7d %s", saw[what], what)
	}
}
