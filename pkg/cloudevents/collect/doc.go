// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package collect makes ScheduledEvents of what clouds announce, and keeps them as the clouds tell them. It runs while its
// process leads. It does nothing else: what is done for an event is decided elsewhere.
//
// changes.go decides what is to be written, and is pure. A cloud that does not answer changes nothing: an event is over
// only if the cloud says so, or leaves it out of all good answers for five minutes. That time is not stored: a new leader
// begins to count anew. One that it tells again after that is
// reported: Canceled and Completed stay.
package collect
