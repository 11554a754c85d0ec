// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package migratestore is the subcommand migrate-store. It copies everything that one store has into another one: the
// objects, as the bytes that they are stored as, and the ID of the store.
//
// A server that knew only some of the holds would be wrong about nodes, so a copy that has not ended must not look like
// a store:
//
//  1. The target gets a mark: that a copy of the source has begun, by the source's ID.
//  2. The objects are written.
//  3. Both stores are read again. The source must be as it was, and the target must have the same bytes.
//  4. The target gets the ID, and loses the mark.
//
// A server that finds objects or a mark, but no ID, does not start. One of an older version makes an ID of its own, and
// then leaves alone the nodes that the annotation names another store for.
//
// A copy that was interrupted goes on when the command is run again, also if the source has changed since: nobody has used
// the target. A target that has the ID was perhaps used, so it is never changed again.
//
// No server may write meanwhile. The data directory of an embedded store is locked; the cluster's API must not reach a
// server; and the command holds the lease of the leader until it ends. It does not see a server that does not lead and that
// the cluster does not reach, such as a pod that is just ending. If that one changes the source, step 3 may notice.
//
// # Files
//
//	command.go, options.go        the flags
//	migrate.go                    the whole move, step by step
//	running.go, lease.go          find out whether a server runs; hold the lease of the leader meanwhile
//	open.go, place.go, etcd.go,   open a store; what each kind of store can do
//	cluster.go
//	plan.go                       pure: what to do, or why nothing can be done
//	carryout.go                   write, read back, compare
//	show.go                       what the admin reads
package migratestore
