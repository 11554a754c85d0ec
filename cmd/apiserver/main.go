// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// The maintenance-apiserver serves the maintenance.medik8s.io API, and takes nodes out of
// service for its objects.
package main

import (
	"errors"
	"fmt"
	"os"
	_ "time/tzdata" // so that time zones are known in an image that has nothing but this program

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

func main() {
	command := app.NewCommand(genericapiserver.SetupSignalContext())
	if err := cli.RunNoErrOutput(command); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", command.Name(), err)
		os.Exit(exitCode(err))
	}
}

// exitCode is 1, unless the error has another one.
func exitCode(err error) int {
	var exit *subcommand.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return 1
}
