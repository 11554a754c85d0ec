// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

func newBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build [PROGRAM...]",
		Short: "Build what is missing of the control plane into bin, or only the named programs",
		RunE: func(cmd *cobra.Command, programs []string) error {
			root, err := binaries.Root()
			if err != nil {
				return err
			}
			return binaries.Ensure(cmd.Context(), root, filepath.Join(root, "bin"), cmd.OutOrStdout(), false, programs...)
		},
	}
}
