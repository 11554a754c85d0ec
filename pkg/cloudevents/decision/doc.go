// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decision says what is to be done for a ScheduledEvent: which node it means, when its drain starts, which hold
// it wants, and whether its machine may be replaced. It is pure: the same facts have the same outcome, and time is one
// of them.
//
// Who acts stores the new status first, and does the rest then: it makes the hold as it is wanted, lets the replacement
// go on, and sends the Kubernetes events. A crash in between repeats nothing that matters, since the next decision
// follows from what is stored.
package decision
