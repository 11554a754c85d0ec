// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"testing"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
)

func TestVersionNamesTheProduct(t *testing.T) {
	var out bytes.Buffer
	command := NewCommand(t.Context())
	command.SetOut(&out)
	command.SetArgs([]string{"--version"})
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := "maintenance-apiserver " + buildversion.Get().String() + "\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
