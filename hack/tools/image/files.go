// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"fmt"
	"os"
)

const (
	// nonRoot is the user and the group that the server runs as.
	nonRoot = 65532
	// entrypoint is the path of the server in the image.
	entrypoint = "/maintenance-apiserver"
)

// file is a file or, without content, a directory of the image.
type file struct {
	// path has no slash at its beginning; that of a directory has one at its end.
	path    string
	mode    int64
	owner   int
	content []byte
}

func (f *file) header() *tar.Header {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Uid: f.owner, Gid: f.owner,
		Size: int64(len(f.content)), Format: tar.FormatUSTAR,
	}
	if f.content == nil {
		header.Typeflag = tar.TypeDir
	}
	return header
}

// baseFiles are what a static program needs besides itself, sorted by path. They are the same for each platform.
func baseFiles() ([]file, error) {
	certificates, err := caCertificates()
	if err != nil {
		return nil, err
	}
	passwd := fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/tmp:/sbin/nologin\n", nonRoot, nonRoot)
	group := fmt.Sprintf("root:x:0:\nnonroot:x:%d:\n", nonRoot)
	return []file{
		{path: "etc/", mode: 0o755},
		{path: "etc/group", mode: 0o644, content: []byte(group)},
		{path: "etc/passwd", mode: 0o644, content: []byte(passwd)},
		{path: "etc/ssl/", mode: 0o755},
		{path: "etc/ssl/certs/", mode: 0o755},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: certificates},
		{path: "tmp/", mode: 0o1777, owner: nonRoot},
	}, nil
}

// programFiles are the server alone.
func programFiles(program string) ([]file, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("could not read the server: %w", err)
	}
	return []file{{path: entrypoint[1:], mode: 0o755, content: content}}, nil
}
