// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decision says which nodes may start maintenance now, and what the others wait for. It is pure: the same
// facts have the same outcome, and time is one of them. The replica that leads decides with it, and every replica
// explains with it.
//
// Room is asked once for a node: maxConcurrent, domains, maxUnavailable and pace. Time and consent are asked for each
// hold: the schedule, pauses and stops, approvals and gates. A hold that joins a node in maintenance, or goes from
// Cordon to Drain, asks only for time and consent. What was admitted is not revoked while the hold asks for it.
package decision
