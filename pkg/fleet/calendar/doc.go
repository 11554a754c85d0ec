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
//
// # Files
//
//	cron.go, cronfield.go, parse.go,    parse the texts of a schedule
//	zone.go
//	wallclock.go                        the one place where times on the wall become moments
//	rule.go, once.go, weekly.go,        when one window or freeze is; several as one
//	cronrule.go, yearly.go
//	window.go, nextday.go               for checks of profiles: the one window of timeWindow; the next day
//	compile.go, form.go                 make a Calendar of a schedule
//	calendar.go, question.go, walk.go   what a Calendar answers, and how it finds that
//	timeline.go                         openings that were found once, for many questions
//	text.go, over.go                    times in messages; windows and freezes that are over
package calendar
