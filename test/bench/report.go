// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"
)

// printDrains prints a case's table: medians over the rounds, but the worst of
// what must not happen at all and of memory.
func printDrains(tools []string, runs map[string][]drainRun) {
	fmt.Println("| tool | rounds | nodes empty | tool says so | mean a node | evictions accepted / 429 / failed | eviction calls a pod | GET / LIST / WATCH pods | other calls | all calls a pod | budget free → next eviction p50 / p99 | budgets broken | our server's peak memory |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, name := range tools {
		if len(runs[name]) > 0 {
			printDrain(name, runs[name])
		}
	}
	fmt.Println()
	for _, other := range []string{toolFloor, toolKubectl} {
		printRatio("nodes empty", other, runs, func(r drainRun) time.Duration { return r.makespan })
		printRatio("tool says so", other, runs, func(r drainRun) time.Duration { return r.said })
		printRatio("mean a node", other, runs, func(r drainRun) time.Duration { return mean(r.each) })
	}
}

func printDrain(name string, runs []drainRun) {
	number := func(of func(r drainRun) int) int { return median(collect(runs, of)) }
	var reactions []time.Duration
	for _, r := range runs {
		reactions = append(reactions, r.reactions...)
	}
	reaction := "–"
	if len(reactions) > 0 {
		reaction = fmt.Sprintf("%s / %s", milliseconds(quantile(reactions, 0.5)), milliseconds(quantile(reactions, 0.99)))
	}
	memory := "–"
	if name == toolOurs {
		memory = fmt.Sprintf("%.0f MiB", slices.Max(collect(runs, func(r drainRun) float64 { return r.memory })))
	}
	fmt.Printf("| %s | %d | %s | %s | %s | %d / %d / %d | %.2f | %d / %d / %d | %d | %.2f | %s | %d | %s |\n",
		name, len(runs),
		seconds(median(collect(runs, func(r drainRun) time.Duration { return r.makespan }))),
		seconds(median(collect(runs, func(r drainRun) time.Duration { return r.said }))),
		seconds(median(collect(runs, func(r drainRun) time.Duration { return mean(r.each) }))),
		number(func(r drainRun) int { return r.calls.accepted }),
		slices.Max(collect(runs, func(r drainRun) int { return r.calls.refused })),
		slices.Max(collect(runs, func(r drainRun) int { return r.calls.failed })),
		median(collect(runs, func(r drainRun) float64 { return float64(r.calls.posts()) / float64(r.pods) })),
		number(func(r drainRun) int { return r.calls.gets }),
		number(func(r drainRun) int { return r.calls.lists }),
		number(func(r drainRun) int { return r.calls.watches }),
		number(func(r drainRun) int { return r.calls.others }),
		median(collect(runs, func(r drainRun) float64 { return float64(r.calls.all()) / float64(r.pods) })),
		reaction,
		slices.Max(collect(runs, func(r drainRun) int { return r.broken })),
		memory)
}

// printRatio compares runs of the same round, which met the same placement.
func printRatio(what, other string, runs map[string][]drainRun, of func(drainRun) time.Duration) {
	var ratios []float64
	for _, our := range runs[toolOurs] {
		for _, their := range runs[other] {
			if our.round == their.round {
				ratios = append(ratios, of(our).Seconds()/of(their).Seconds())
			}
		}
	}
	if len(ratios) == 0 {
		return
	}
	spread := "one round"
	if len(ratios) > 1 {
		spread = fmt.Sprintf("%.2f to %.2f; rounds: %d", slices.Min(ratios), slices.Max(ratios), len(ratios))
	}
	fmt.Printf("- ours / %s, %s: %.2f (%s)\n", other, what, median(ratios), spread)
}
