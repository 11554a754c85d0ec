// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// release is the release that this tree becomes. Its folder in testdata has the objects as it stores them. The
// folders of earlier releases never change. That of v0.0 has objects as the very first server stored them, which
// was never released.
const release = "v0.1"

var update = flag.Bool("update", false, "write the files of "+release)

// TestFilesOfThisRelease compares the files of this release with what this version stores. With -update, it
// writes them.
func TestFilesOfThisRelease(t *testing.T) {
	if *update {
		writeFiles(t)
	}
	names := sets.New[string]()
	for _, of := range objects() {
		t.Run(of.file, func(t *testing.T) {
			names.Insert(fileOf(of))
			stored := content(t, fileOf(of))
			if diff := cmp.Diff(of.object, decodedObject(t, stored)); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.TrimSpace(encoded(t, of.object)), stored); diff != "" {
				t.Errorf("this version stores the object otherwise than its file says; if that is meant, run make stored-objects (-want +got):\n%s", diff)
			}
		})
	}
	files := filesBelow(t, filepath.Join("testdata", release))
	if diff := cmp.Diff(sets.List(names), files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestEveryReleaseIsRead decodes the objects as each release stored them. This version must know each of their
// fields, and lose nothing when it stores them again.
func TestEveryReleaseIsRead(t *testing.T) {
	files := filesBelow(t, "testdata")
	if len(files) < len(objects()) {
		t.Fatalf("found %d files, want %d at least", len(files), len(objects()))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".json"), func(t *testing.T) {
			data := content(t, file)
			object := decodedObject(t, data)
			if unknown := *object.UnknownFields(); unknown != "" {
				t.Errorf("this version does not know fields that an earlier one has stored: %s", unknown)
			}
			stored, err := read([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			again, err := read([]byte(encoded(t, object)))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range changed("", stored, again) {
				t.Errorf("%s was changed by decoding and encoding:\nstored %v\nagain %v", path, stored, again)
			}
		})
	}
}

// changed are the paths of what stored has and again has not, or has another value of.
func changed(path string, stored, again any) (paths []string) {
	switch of := stored.(type) {
	case map[string]any:
		object, _ := again.(map[string]any)
		for name, value := range of {
			paths = append(paths, changed(path+"."+name, value, object[name])...)
		}
	case []any:
		items, _ := again.([]any)
		if len(items) != len(of) {
			return []string{path}
		}
		for i := range of {
			paths = append(paths, changed(fmt.Sprintf("%s[%d]", path, i), of[i], items[i])...)
		}
	default:
		if stored != again {
			paths = []string{path}
		}
	}
	return paths
}

// TestFilesHaveEveryField fails when a field was added and none of the files has it.
func TestFilesHaveEveryField(t *testing.T) {
	set, all := sets.New[string](), sets.New[string]()
	// Of metadata, the store leaves out the version, and nobody sets a namespace or a self link. A plan, openings and a
	// preview are never stored. Of the objects of this version, no field is unknown.
	neverStored := sets.New(".ResourceVersion", ".Namespace", ".SelfLink", ".Status.Plan", ".Status.NextOpenings", ".Status.Preview", ".Unknown")
	for _, of := range objects() {
		versioned, err := scheme.Scheme.New(v1beta1.SchemeGroupVersion.WithKind(kindOf(of.object)))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(encoded(t, of.object)), versioned); err != nil {
			t.Fatal(err)
		}
		value := reflect.ValueOf(versioned).Elem()
		for field := range setOf(value) {
			set.Insert(kindOf(of.object) + field)
		}
		for field := range fieldsOf("", value.Type(), neverStored) {
			all.Insert(kindOf(of.object) + field)
		}
	}
	if missing := all.Difference(set); missing.Len() > 0 {
		t.Errorf("no file has %s: add them to one of objects(), and run make stored-objects", sets.List(missing))
	}
}

// setOf are the paths of all fields of the value that are not zero.
func setOf(value reflect.Value) sets.Set[string] {
	set := sets.New[string]()
	setFields(set, "", value)
	return set
}

// setFields adds the paths of all fields of the value that are not zero.
func setFields(set sets.Set[string], path string, value reflect.Value) {
	switch {
	case value.Kind() == reflect.Pointer && !value.IsNil() && value.Type().Elem().Kind() == reflect.Struct:
		setFields(set, path, value.Elem())
	case value.Kind() == reflect.Slice:
		for i := range value.Len() {
			setFields(set, path, value.Index(i))
		}
	case value.Kind() == reflect.Struct && !opaque(value.Type()):
		for i := range value.NumField() {
			setFields(set, fieldPath(path, value.Type().Field(i)), value.Field(i))
		}
	case !value.IsZero():
		set.Insert(path)
	}
}

// fieldsOf are the paths of all fields of the type, at every depth.
func fieldsOf(path string, of reflect.Type, without sets.Set[string]) sets.Set[string] {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	fields := sets.New[string]()
	switch {
	case without.Has(path):
	case of.Kind() == reflect.Struct && !opaque(of):
		for i := range of.NumField() {
			fields = fields.Union(fieldsOf(fieldPath(path, of.Field(i)), of.Field(i).Type, without))
		}
	default:
		fields.Insert(path)
	}
	return fields
}

// fieldPath is the path of a field. Embedded structs are not named in it.
func fieldPath(path string, field reflect.StructField) string {
	if field.Anonymous {
		return path
	}
	return path + "." + field.Name
}

// opaque says whether the type decodes itself.
func opaque(of reflect.Type) bool {
	return reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func writeFiles(t *testing.T) {
	t.Helper()
	dir := filepath.Join("testdata", release)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, of := range objects() {
		if err := os.MkdirAll(filepath.Dir(fileOf(of)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fileOf(of), []byte(indented(t, of.object)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func fileOf(of namedObject) string { return filepath.Join("testdata", release, of.file) }

// filesBelow are the files of objects in a directory: holds in that of their release, others in one of their resource.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// content is what the store has of the object of the file.
func content(t *testing.T, file string) string {
	t.Helper()
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("run make stored-objects, and commit what it writes: %v", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, lines); err != nil {
		t.Fatal(err)
	}
	return compact.String()
}

// indented is what the store has of the object, with one field on each line.
func indented(t *testing.T, object v1beta1.Stored) string {
	t.Helper()
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(encoded(t, object)), "", "  "); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}
