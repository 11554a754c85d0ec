// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// toStdout as --output writes the archive to the standard output.
const toStdout = "-"

// output is where the archive goes. A file gets its name only when it is whole.
type output struct {
	io.Writer
	name string
	file *os.File
}

// newOutput opens a file beside the one that is asked for, or takes stdout.
func newOutput(name string, stdout io.Writer) (*output, error) {
	if name == toStdout {
		return &output{Writer: stdout, name: "the standard output"}, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("could not write %s: it is not a file; for the standard output, set --output=-", name)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".partial-*")
	if err != nil {
		return nil, fmt.Errorf("could not write the archive, set --output to a file in a folder that you may write: %w", err)
	}
	return &output{Writer: file, name: name, file: file}, nil
}

// keep gives the file its name.
func (o *output) keep() error {
	if o.file == nil {
		return nil
	}
	if err := errors.Join(o.file.Sync(), o.file.Close()); err != nil {
		return fmt.Errorf("could not write %s: %w", o.name, err)
	}
	return os.Rename(o.file.Name(), o.name)
}

// drop removes what was written, unless it was kept. On the standard output, the end of the archive is
// missing, so that no program takes it for a whole one.
func (o *output) drop() {
	if o.file != nil {
		_ = o.file.Close()
		_ = os.Remove(o.file.Name())
	}
}
