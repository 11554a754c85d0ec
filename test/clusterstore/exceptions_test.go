// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"flag"
	"regexp"
	"strings"
)

// exceptions are the tests that the store does not pass, each with the reason.
var exceptions = []struct{ test, reason string }{
	{"CreateWithTTL", noExpiry},
	{"GuaranteedUpdateWithTTL", noExpiry},
	{"GuaranteedUpdateChecksStoredData", "the cluster writes nothing where nothing differs. The test's encryption " +
		"makes of the same data the same bytes, which no real one does"},
	{"ProgressNotify", rare},
	{"OptionalWatchBookmarksWithCorrectResourceVersion", rare},
	{"List/test List with continue, resource version before first write", noCompaction},
	{"List/test List with resource version set before first write, match=Exact", noCompaction},
	{"List/test List on existing key with resource version set before first write, match=Exact", noCompaction},
	{"List/test List with future resource version, match=Exact", "the version is two writes ahead, and others write into " +
		"the cluster while it waits for that version. What it does with one far ahead is tested"},
	{"List/test List with limit at resource version 0", cached},
	{"List/test List with limit at resource version 0 match=NotOlderThan", cached},
	{"WatchSemantics/allowWatchBookmarks=true, sendInitialEvents=false, RV=1", history},
	{"WatchSemantics/allowWatchBookmarks=false, sendInitialEvents=false, RV=1", history},
}

const (
	noExpiry     = "custom resources do not expire"
	rare         = "optional, for a cache in front: the cluster sends a bookmark about every minute, and the test waits less"
	noCompaction = "the test must compact the cluster's etcd, which is not the store's"
	cached       = "the cluster's watch cache answers, and does not limit what it has. The test is not meant for one"
	history      = "the cluster has the history of a kind since it serves the kind, not since revision 1"
)

// withExceptions has the tests run that the store does not pass, too.
var withExceptions = flag.Bool("exceptions", false, "also run the tests that the store does not pass")

// skipExceptions has the tests skipped, besides those that -skip names.
func skipExceptions() {
	if *withExceptions {
		return
	}
	var patterns []string
	if given := flag.Lookup("test.skip").Value.String(); given != "" {
		patterns = append(patterns, given)
	}
	for _, exception := range exceptions {
		pattern := "^TestConformance$"
		for part := range strings.SplitSeq(exception.test, "/") {
			pattern += "/^" + regexp.QuoteMeta(strings.ReplaceAll(part, " ", "_")) + "$"
		}
		patterns = append(patterns, pattern)
	}
	if err := flag.Set("test.skip", strings.Join(patterns, "|")); err != nil {
		panic(err)
	}
}
