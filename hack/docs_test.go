// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hack

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// goFile finds the name of a Go file, with or without a path.
	goFile = regexp.MustCompile(`[\w./-]+\.go\b`)
	// inRepository finds the path of a folder or a file from the top of the repository.
	inRepository = regexp.MustCompile("(?:^|[\\s(\"`])((?:pkg|cmd|test|hack|docs|chart|artifacts)/[\\w/-]+(?:\\.[a-z]+)*)(?:$|[\\s)\",;:#`]|\\.\\s)")
	// link finds a link of Markdown to a page of the repository, to a heading, or to both.
	link = regexp.MustCompile(`\]\(([\w./-]*)(?:#([\w-]+))?\)`)
	// fenced is a block of code, in which # begins no heading.
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	// heading finds the headings of a page.
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	// notRead finds files that name what is not in the repository.
	notRead = regexp.MustCompile(`_test\.go$|/testdata/|/zz_generated`)
	// notInAnchors are the characters of a heading that its anchor does not have.
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// paths are all files and folders, by their slash-separated paths from the top.
type paths map[string]bool

// ends says whether a path of the repository ends with the name.
func (p paths) ends(name string) bool {
	for known := range p {
		if known == name || strings.HasSuffix(known, "/"+name) {
			return true
		}
	}
	return false
}

// TestDocsNameWhatExists finds files, folders, pages and headings that do not exist, where a page, the doc.go of a package,
// or a text in the code names them.
func TestDocsNameWhatExists(t *testing.T) {
	all, texts := walk(t)
	pages := 0
	for name, text := range texts {
		for _, match := range inRepository.FindAllStringSubmatch(text, -1) {
			if !all[strings.TrimRight(match[1], "/")] {
				t.Errorf("%s names %s, which does not exist", name, match[1])
			}
		}
		switch {
		case strings.HasSuffix(name, ".md"):
			pages++
			for _, file := range goFile.FindAllString(text, -1) {
				if !all.ends(strings.TrimLeft(file, "./")) {
					t.Errorf("%s names %s, which does not exist", name, file)
				}
			}
			for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
				target := path.Join(path.Dir(name), match[1])
				if match[1] == "" {
					target = name
				}
				if !all[target] {
					t.Errorf("%s has a link to %s, which does not exist", name, match[1])
				} else if match[2] != "" && !slices.Contains(anchors(texts[target]), match[2]) {
					t.Errorf("%s has a link to #%s of %s, which has no such heading", name, match[2], target)
				}
			}
		case path.Base(name) == "doc.go":
			for _, file := range goFile.FindAllString(text, -1) {
				found := all[path.Join(path.Dir(name), file)] || strings.Contains(file, "/") && all.ends(file)
				if !found {
					t.Errorf("%s names %s, which its folder does not have", name, file)
				}
			}
		}
	}
	if pages < 50 {
		t.Errorf("found only %d pages", pages)
	}
}

// walk returns everything in the repository, and the texts that may name something of it.
func walk(t *testing.T) (paths, map[string]string) {
	t.Helper()
	all, texts := paths{}, map[string]string{}
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		hidden := file != ".." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".ci" && entry.Name() != ".golangci.yml"
		if entry.IsDir() && (hidden || name == "bin") {
			return fs.SkipDir
		}
		all[name] = true
		if !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".tpl", ".txt", ".sh"}, path.Ext(name)) || notRead.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(file)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, texts
}

// anchors are the names by which links reach the headings of a page.
func anchors(page string) []string {
	var found []string
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		found = append(found, strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return found
}
