// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package replicas knows the pods that run this server, its replicas. They leave a node under drain as
// other pods do, but last of all, and each only while another replica is ready that stays: without
// one, nobody would go on with the drain. Package plan decides so from the Facts.
//
// Two nodes may be under drain at once, and each have a replica that counts on the other one. So the
// Ledger (ledger.go) lets one node decide at a time, and notes which replicas are about to go: these count no more.
//
// The replicas are listed, past every cache, when a plan is made for a node that has one of them, and
// never else (facts.go). server.go, which is pure, says which pods they are. They are watched only while one of them waits for another to become ready, and only to look again then.
package replicas
