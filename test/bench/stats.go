// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// number is what tables hold.
type number interface{ ~int | ~int64 | ~float64 }

// quantile is the smallest value that a share of the values do not exceed; zero
// when there is none.
func quantile[T cmp.Ordered](values []T, share float64) T {
	var none T
	if len(values) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(max(int(math.Ceil(share*float64(len(sorted))))-1, 0), len(sorted)-1)]
}

// median is the middle value; of an even number, the mean of the two.
func median[T number](values []T) T {
	var none T
	if len(values) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

func mean(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	var sum time.Duration
	for _, v := range values {
		sum += v
	}
	return sum / time.Duration(len(values))
}

// collect is one value of each run.
func collect[R, T any](runs []R, of func(R) T) []T {
	values := make([]T, 0, len(runs))
	for _, r := range runs {
		values = append(values, of(r))
	}
	return values
}

// seconds prints a duration for a table.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
