// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// printCreates prints the table of one number of clients: latencies over all rounds
// together, and how each kind compares with the others of the same round.
func printCreates(clients int, creations []creation, runs [][]createRun) {
	fmt.Printf("Clients: %d\n\n", clients)
	fmt.Println("| kind | creates | p50 | p99 | most | processor time a create: all / kube-apiserver / our server |")
	fmt.Println("|---|---|---|---|---|---|")
	for i := range creations {
		printCreate(creations[i].label, runs[i])
	}
	fmt.Println()
	fmt.Println("| ratio | p50 | p99 | most | processor time |")
	fmt.Println("|---|---|---|---|---|")
	for _, other := range []string{labelCustom, labelConfigMap} {
		against := slices.IndexFunc(creations, func(what creation) bool { return what.label == other })
		for i := against + 1; i < len(creations); i++ {
			fmt.Printf("| %s / %s | %s |\n", creations[i].label, other, strings.Join(ratios(runs[i], runs[against]), " | "))
		}
	}
	fmt.Println()
}

func printCreate(label string, runs []createRun) {
	var took []time.Duration
	for _, run := range runs {
		took = append(took, run.took...)
	}
	spent := func(of func(processorTimes) time.Duration) string {
		var sum time.Duration
		for _, run := range runs {
			sum += of(run.spent)
		}
		return milliseconds(sum / time.Duration(len(took)))
	}
	fmt.Printf("| %s | %d | %s | %s | %s | %s / %s / %s |\n", label, len(took),
		milliseconds(quantile(took, 0.5)), milliseconds(quantile(took, 0.99)), milliseconds(quantile(took, 1)),
		spent(processorTimes.all),
		spent(func(p processorTimes) time.Duration { return p[binaries.KubeAPIServer] }),
		spent(func(p processorTimes) time.Duration { return p[binaries.MaintenanceAPIServer] }))
}

// ratios are p50, p99, most and processor time of one kind by those of another. The rounds are
// compared one by one, since what else the machine does changes from round to round.
func ratios(runs, others []createRun) []string {
	compared := []func(createRun) float64{
		func(run createRun) float64 { return float64(quantile(run.took, 0.5)) },
		func(run createRun) float64 { return float64(quantile(run.took, 0.99)) },
		func(run createRun) float64 { return float64(quantile(run.took, 1)) },
		func(run createRun) float64 { return float64(run.spent.all()) },
	}
	cells := make([]string, 0, len(compared))
	for _, of := range compared {
		values := make([]float64, 0, len(runs))
		for i := range runs {
			values = append(values, of(runs[i])/of(others[i]))
		}
		cells = append(cells, medianAndRange(values))
	}
	return cells
}

// medianAndRange is the median, with the least and the most where there are several.
func medianAndRange(values []float64) string {
	if len(values) == 1 {
		return fmt.Sprintf("%.2f", values[0])
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(values), slices.Min(values), slices.Max(values))
}
