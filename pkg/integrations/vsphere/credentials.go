// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// credentials reads how to log in at the vCenter of a zone. Its errors name files, and have nothing of what is in them.
func (s *Settings) credentials(zone string) (*url.Userinfo, error) {
	username, err := s.read(zone + ".username")
	if err != nil {
		return nil, err
	}
	password, err := s.read(zone + ".password")
	if err != nil {
		return nil, err
	}
	return url.UserPassword(username, password), nil
}

// read reads a file. A line break at the end is no part of it: editors add one.
func (s *Settings) read(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(s.CredentialsDir, name))
	if err != nil {
		return "", fmt.Errorf("could not read the credentials of the vCenter: %w", err)
	}
	value := strings.TrimRight(string(content), "\r\n")
	if value == "" {
		return "", fmt.Errorf("the file %s of the credentials of the vCenter is empty", name)
	}
	return value, nil
}
