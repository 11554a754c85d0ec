// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"time"

	"sigs.k8s.io/yaml"
)

// archive writes files into one compressed archive, as they come. After an error it writes nothing more, and
// err has that error.
type archive struct {
	folder string
	now    time.Time
	gzip   *gzip.Writer
	tar    *tar.Writer
	names  map[string]bool
	bytes  uint64
	err    error
}

// newArchive returns an archive whose files are all in one folder.
func newArchive(w io.Writer, folder string, now time.Time) *archive {
	compressed := gzip.NewWriter(w)
	return &archive{folder: folder, now: now, gzip: compressed, tar: tar.NewWriter(compressed), names: map[string]bool{}}
}

// add writes a file. Names come from the cluster, so none leads out of the folder or replaces another file.
func (a *archive) add(name string, content []byte) {
	if a.err != nil {
		return
	}
	name = a.free(path.Clean("/" + name)[1:])
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(a.folder, name), Mode: 0o600, Size: int64(len(content)), ModTime: a.now.Truncate(time.Second),
	}
	if a.err = a.tar.WriteHeader(header); a.err == nil {
		_, a.err = a.tar.Write(content)
	}
	a.bytes += uint64(len(content))
}

// free returns the name, or one like it if a file has that name already.
func (a *archive) free(name string) string {
	unique := name
	for i := 2; a.names[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	a.names[unique] = true
	return unique
}

// addYAML writes objects into one file.
func (a *archive) addYAML(name string, objects ...map[string]any) error {
	var content []byte
	for i, object := range objects {
		if i > 0 {
			content = append(content, "---\n"...)
		}
		encoded, err := yaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("could not write %s: %w", name, err)
		}
		content = append(content, encoded...)
	}
	a.add(name, content)
	return nil
}

// close writes the end of the archive.
func (a *archive) close() error {
	for _, w := range []io.Closer{a.tar, a.gzip} {
		if err := w.Close(); a.err == nil {
			a.err = err
		}
	}
	return a.err
}
