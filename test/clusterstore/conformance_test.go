// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
)

// conformance are the tests that the library has for a store. What is missing is in exceptions.
var conformance = map[string]func(context.Context, *testing.T, *suiteStore){
	"Create": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestCreate(ctx, t, s, s.wantClean)
	},
	"CreateWithKeyExist": plain(storagetesting.RunTestCreateWithKeyExist),
	"Get": func(ctx context.Context, t *testing.T, s *suiteStore) {
		s.dropTTL = true // one update asks for a limited time, which the test does not wait for
		storagetesting.RunTestGet(ctx, t, s)
	},
	"UnconditionalDelete":                        plain(storagetesting.RunTestUnconditionalDelete),
	"ConditionalDelete":                          plain(storagetesting.RunTestConditionalDelete),
	"DeleteWithSuggestion":                       plain(storagetesting.RunTestDeleteWithSuggestion),
	"DeleteWithSuggestionAndConflict":            plain(storagetesting.RunTestDeleteWithSuggestionAndConflict),
	"DeleteWithConflict":                         plain(storagetesting.RunTestDeleteWithConflict),
	"DeleteWithSuggestionOfDeletedObject":        plain(storagetesting.RunTestDeleteWithSuggestionOfDeletedObject),
	"ValidateDeletionWithSuggestion":             plain(storagetesting.RunTestValidateDeletionWithSuggestion),
	"ValidateDeletionWithOnlySuggestionValid":    plain(storagetesting.RunTestValidateDeletionWithOnlySuggestionValid),
	"PreconditionalDeleteWithSuggestion":         plain(storagetesting.RunTestPreconditionalDeleteWithSuggestion),
	"PreconditionalDeleteWithOnlySuggestionPass": plain(storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass),
	"DeleteWithConflictAndMissingExpectedDecodeError": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError(ctx, t, s, s.codec.failing.Store)
	},
	"DeleteExpectedDecodeError": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestDeleteExpectedTransformOrDecodeError(ctx, t, s, s.codec.failing.Store)
	},
	"DeleteExpectedTransformError": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestDeleteExpectedTransformOrDecodeError(ctx, t, s, s.encryption.failing.Store)
	},
	"DeleteWithSuggestionAndMissingExpectedTransformOrDecodeError": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError(ctx, t, s)
	},
	"GetListNonRecursive": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestGetListNonRecursive(ctx, t, increaseVersion, s)
	},
	"GetListRecursivePrefix": plain(storagetesting.RunTestGetListRecursivePrefix),
	"KeySchema":              plain(storagetesting.RunTestKeySchema),
	"GetListWithErrorAggregation": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestGetListWithErrorAggregation(ctx, t, s, errCorrupt)
	},
	"ListPaginationRareObject": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestListPaginationRareObject(ctx, t, s, nil)
	},
	"ListResourceVersionMatch": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestListResourceVersionMatch(ctx, t, s)
	},
	"ListPaging":          plain(storagetesting.RunTestListPaging),
	"NamespaceScopedList": plain(storagetesting.RunTestNamespaceScopedList),
	"GuaranteedUpdate": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestGuaranteedUpdate(ctx, t, s, s.wantClean)
	},
	"GuaranteedUpdateChecksStoredData": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestGuaranteedUpdateChecksStoredData(ctx, t, s)
	},
	"GuaranteedUpdateWithConflict":              plain(storagetesting.RunTestGuaranteedUpdateWithConflict),
	"GuaranteedUpdateWithSuggestionAndConflict": plain(storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict),
	"TransformationFailure": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestTransformationFailure(ctx, t, s)
	},
	"Stats": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestStats(ctx, t, s, s.codec, s.encryption, false)
	},
	"Watch": plain(storagetesting.RunTestWatch),
	"WatchFromZero": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestWatchFromZero(ctx, t, s, nil)
	},
	"DeleteTriggerWatch":   plain(storagetesting.RunTestDeleteTriggerWatch),
	"WatchFromNonZero":     plain(storagetesting.RunTestWatchFromNonZero),
	"DelayedWatchDelivery": plain(storagetesting.RunTestDelayedWatchDelivery),
	"WatchError":           func(ctx context.Context, t *testing.T, s *suiteStore) { storagetesting.RunTestWatchError(ctx, t, s) },
	"WatchWithUnsafeDelete": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestWatchWithUnsafeDelete(ctx, t, s, errCorrupt)
	},
	"WatchContextCancel":                 plain(storagetesting.RunTestWatchContextCancel),
	"WatchDeleteEventObjectHaveLatestRV": plain(storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV),
	"WatchInitializationSignal":          plain(storagetesting.RunTestWatchInitializationSignal),
	"ProgressNotify": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunOptionalTestProgressNotify(ctx, t, s, increaseVersion)
	},
	"CreateWithTTL":           plain(storagetesting.RunTestCreateWithTTL),
	"GuaranteedUpdateWithTTL": plain(storagetesting.RunTestGuaranteedUpdateWithTTL),
	"ClusterScopedWatch":      plain(storagetesting.RunTestClusterScopedWatch),
	"NamespaceScopedWatch":    plain(storagetesting.RunTestNamespaceScopedWatch),
	"WatchDispatchBookmarkEvents": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestWatchDispatchBookmarkEvents(ctx, t, s, false) // as for an etcd
	},
	"OptionalWatchBookmarksWithCorrectResourceVersion": plain(storagetesting.RunTestOptionalWatchBookmarksWithCorrectResourceVersion),
	"SendInitialEventsBackwardCompatibility":           plain(storagetesting.RunSendInitialEventsBackwardCompatibility),
	"WatchErrorIsBlockingFurtherEvents": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunWatchErrorIsBlockingFurtherEvents(ctx, t, s)
	},
}

// quiet are those that fail if the cluster writes anything else meanwhile: they expect revisions without gaps.
var quiet = map[string]func(context.Context, *testing.T, *suiteStore){
	"List": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestList(ctx, t, s, func(ctx context.Context, t *testing.T, _ string) { increaseVersion(ctx, t) }, false, nil)
	},
	"ConsistentList": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestConsistentList(ctx, t, s, increaseVersion, true, true, true)
	},
	"ListContinuation": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestListContinuation(ctx, t, s, nil)
	},
	"ListContinuationWithFilter": func(ctx context.Context, t *testing.T, s *suiteStore) {
		storagetesting.RunTestListContinuationWithFilter(ctx, t, s, nil)
	},
	"WatchSemanticInitialEventsExtended": plain(storagetesting.RunWatchSemanticInitialEventsExtended),
	"WatchListMatchSingle":               plain(storagetesting.RunWatchListMatchSingle),
}

// alone are those that set feature gates of the process or measure time, so they are not parallel.
var alone = map[string]func(context.Context, *testing.T, *suiteStore){
	"WatcherTimeout": plain(storagetesting.RunTestWatcherTimeout),
	"GetListWithoutErrorAggregation": func(ctx context.Context, t *testing.T, s *suiteStore) {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, false)
		storagetesting.RunTestGetListWithoutErrorAggregation(ctx, t, s, errCorrupt)
	},
	"WatchSemantics": plain(storagetesting.RunWatchSemantics),
}

// errCorrupt is how a transformer tells that what is stored is corrupt.
var errCorrupt = storage.NewCorruptObjError("", errors.New("bits flipped"))

func plain(run func(context.Context, *testing.T, storage.Interface)) func(context.Context, *testing.T, *suiteStore) {
	return func(ctx context.Context, t *testing.T, s *suiteStore) { run(ctx, t, s) }
}

func TestConformance(t *testing.T) {
	prepareQuiet(t)
	for name, run := range quiet {
		t.Run(name, func(t *testing.T) {
			s := newSuiteStore(t, newKind(t))
			awaitQuiet(t)
			run(t.Context(), t, s)
		})
	}
	for name, run := range alone {
		t.Run(name, func(t *testing.T) { run(t.Context(), t, newSuiteStore(t, newKind(t))) })
	}
	for name, run := range conformance {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(context.Background(), t, newSuiteStore(t, newKind(t)))
		})
	}
}
