// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Command bench measures drains on the local control plane: ours, through the
// aggregator; kubectl drain; and, as the floor, a loop that knows the workload
// beforehand. All three drain the same pods of the same cluster, one after the
// other, in one run. It prints tables in Markdown; docs/benchmarks.md says what
// they mean.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	options, err := parseOptions(args)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.printMachine(); err != nil {
		return err
	}
	for _, c := range options.cases() {
		fmt.Printf("## %s\n\n", c.title())
		if err := c.measure(ctx, b); err != nil {
			return fmt.Errorf("could not measure case %s: %w", c.name(), err)
		}
		fmt.Println()
	}
	return nil
}
