// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// manifestName is the file in the binary directory that says what each binary was
// built from.
const manifestName = ".localcluster.json"

// manifest maps a program's name to the digest of everything it was built from.
type manifest map[string]string

func loadManifest(binDir string) (manifest, error) {
	content, err := os.ReadFile(filepath.Join(binDir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not read manifest of binaries: %w", err)
	}
	m := manifest{}
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, fmt.Errorf("could not parse manifest of binaries: %w", err)
	}
	return m, nil
}

func (m manifest) save(binDir string) error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("could not encode manifest of binaries: %w", err)
	}
	path := filepath.Join(binDir, manifestName)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("could not write manifest of binaries: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("could not write manifest of binaries: %w", err)
	}
	return nil
}

// current reports whether a program's file exists and has the given digest.
func (m manifest) current(binDir, name, digest string) bool {
	_, err := os.Stat(filepath.Join(binDir, name))
	return err == nil && m[name] == digest
}

// digest is a hash of everything that the programs of a module are built from: its pinned
// dependencies, the Go version and the build settings.
func digest(moduleDir, goVersion string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(moduleDir, name))
		if err != nil {
			return "", fmt.Errorf("could not read module of binaries: %w", err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content) // a hash never fails
	}
	_, _ = fmt.Fprintf(sum, "%s %s %v", goVersion, buildEnv, ldflags("version"))
	return hex.EncodeToString(sum.Sum(nil)), nil
}
