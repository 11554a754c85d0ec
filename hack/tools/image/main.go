// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// The image tool builds the server for each platform, and makes an image of it: an OCI layout
// with an index of all platforms. It can also push that to a registry. It needs no container
// engine. The same sources give the same bytes, wherever they lie.
//
// Nothing in the image depends on the time, the machine or the folder of the build. release.go asks hack/version.sh for the
// version, compile.go builds the server, files.go, roots.go and layer.go make the layers (the server, users, CA certificates,
// /tmp), image.go the image of each platform and the index, and layout.go and push.go write it. Time zones are in the server
// itself.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := runUntilSignal(); err != nil {
		fmt.Fprintf(os.Stderr, "image: %v\n", err)
		os.Exit(1)
	}
}

// runUntilSignal gives up when the user does.
func runUntilSignal() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Stdout)
}
