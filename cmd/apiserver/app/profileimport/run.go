// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
)

// unmappedCode is the exit code if something cannot be mapped.
const unmappedCode = 2

// run translates the files, and writes the manifests, or what it has applied, to out and the report to told.
func run(ctx context.Context, o Options, out, told io.Writer) error {
	options, err := o.read()
	if err != nil {
		return err
	}
	result, err := sapimport.Translate(options)
	if err != nil {
		return err
	}
	show(told, result)
	if len(result.Secrets) > 0 && o.SecretNamespace == "" {
		return errors.New("the configuration has credentials: name the namespace of their Secrets with --secret-namespace, " +
			"the same as with the server's flag of that name (with the chart: profiles.secretNamespace)")
	}
	unmapped := result.Report.Count(sapimport.Unmapped)
	if o.Apply && unmapped == 0 {
		return applyAll(ctx, o.Kubeconfig, result, out)
	}
	manifests, err := result.Manifests()
	if err != nil {
		return fmt.Errorf("could not write the manifests: %w", err)
	}
	if !o.Apply {
		if _, err := out.Write(manifests); err != nil {
			return fmt.Errorf("could not write the manifests: %w", err)
		}
	}
	if unmapped > 0 {
		return &subcommand.ExitError{Code: unmappedCode, Reason: fmt.Sprintf("%s cannot be mapped: see the report", english.Plural(unmapped, "key", ""))}
	}
	return nil
}

// read reads the files.
func (o Options) read() (sapimport.Options, error) {
	options := sapimport.Options{SecretNamespace: o.SecretNamespace, AllowForce: o.AllowForce, Variables: os.LookupEnv}
	for _, f := range []struct {
		path string
		file *sapimport.File
	}{
		{o.Config, &options.Config},
		{o.ESX, &options.ESX},
		{o.Kubernikus, &options.Kubernikus},
		{o.CloudProvider, &options.CloudProvider},
	} {
		if f.path == "" {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			return options, fmt.Errorf("could not read the configuration: %w", err)
		}
		*f.file = sapimport.File{Name: filepath.Base(f.path), Text: text}
	}
	if o.EnvFile == "" {
		return options, nil
	}
	text, err := os.ReadFile(o.EnvFile)
	if err != nil {
		return options, fmt.Errorf("could not read the variables: %w", err)
	}
	options.Variables, err = sapimport.ParseEnv(o.EnvFile, text)
	return options, err
}
