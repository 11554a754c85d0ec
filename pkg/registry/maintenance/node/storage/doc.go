// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage serves the resource nodes and its subresources. The objects are not stored: they are made from the
// cluster's Nodes and the NodeMaintenances, and kept on a board in memory. Through the subresources, users create and
// end holds and plan drains.
//
// Package board has the states of all nodes, and their last changes, with versions of its own: these are the
// resourceVersions of lists and watches. They mean nothing to another process or after a restart, which is answered
// with 410. The board is filled at the first request. feed.go tells it of each change: of holds from the watch cache of
// the store, of nodes from the drainer's caches.
//
// # Files
//
//	query.go, page.go             a list: it asks the store for its revision, and lists the holds only if the board
//	                              is older
//	watch.go                      a watch: it reads the board at its own pace, so nobody waits for a slow client
//	forecast.go                   adds what holds wait for, with their places in queues, to answers only: each
//	                              departure changes the places of all that wait, and must not wake every watch
//	maintenance.go, ending.go     the subresource maintenance: creates and ends holds, through NodeMaintenance's
//	                              own storage and admission
//	drainplan.go, planofhold.go   the subresource drainplan
package storage
