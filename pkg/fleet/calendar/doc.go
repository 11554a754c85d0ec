// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package calendar says when the schedule of a policy lets maintenance start. It is pure: the time is always
// an argument.
//
// A schedule speaks of what a clock on the wall shows, and decisions are about moments. One clock never shows some
// times, and shows others twice. One function, wallClock.moment, is where the two meet: a time that is skipped is
// the first moment after the gap, and one that comes twice is the first of the two.
//
// The parsers of single texts (ParseCron, LoadZone, ParseTimeOfDay, ParseDate, ParseYearDay) are also for
// validation. Their errors say what is wrong, and what would be right.
package calendar
