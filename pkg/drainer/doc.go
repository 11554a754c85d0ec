// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drainer takes nodes out of service for the NodeMaintenances that ask for it, and gives
// them back.
//
// # How it works
//
// There is one queue, of node names. Whatever happens to a hold (a NodeMaintenance), a node, a
// pod on a node under drain, or a disruption budget puts names of nodes into it. A worker takes a
// name and looks at the node (look.go): what its holds want, and what the node is. It does the next
// thing about it (reconcile.go), and then tells of it (reporter.go). It waits for no pod, so one look
// takes as long as its requests do.
//
//	holds on the node                 what is done                                 file
//	none                              nothing; a node left behind is given back    giveback.go
//	some, but the node is not there   their status says so; those deleted end      reconcile.go
//	none that wants it cordoned       the node is given back; those deleted end    giveback.go
//	some that want it cordoned        1. each writes status.nodeBefore             before.go
//	                                  2. those deleted end                         holdwriter.go
//	                                  3. the gates are asked                       gate.go
//	                                  4. the node is cordoned, drift is repaired   nodewriter.go
//	some that want it drained         5. the plan is made and handed on            drain.go
//	all of these                      6. status is written                         holdwriter.go
//
// What the node gets is the union of its holds: the highest stage, every pod that one of them would
// evict, the longest of their grace periods. What a hold's status says is judged as if the hold were
// alone.
//
// # Who does what
//
//	watcher      knows the cluster and plans drains; every process has one     watcher.go
//	leader       the loop of the one process that acts                         leader.go
//	holdWriter   writes NodeMaintenances: status, finalizer, expiry            holdwriter.go
//	nodeWriter   writes nodes: cordon, give-back, conditions                   nodewriter.go
//	drains       moves pods: watch, plan, evictions, volumes, confirmation     drain.go
//	reporter     tells people: events and metrics                              reporter.go
//
// Writers return what they changed, and only the reporter tells of it. What happens with which pod is
// decided in package plan, which is pure. Package eviction posts the evictions.
//
// # After a crash
//
// Nothing that is needed to go on is kept in memory. A process that is killed at any moment is
// followed by one that finds all of it in the holds' status, on the nodes and on the pods. What is
// kept to spare requests stands in memory.go.
//
// # Caches that lag
//
// Holds, nodes, budgets and DaemonSets are read from informers. These lag, most of all behind
// our own writes. Therefore:
//   - A write of a status, a finalizer or a node names the version that it was worked out from. A
//     stale one ends in a conflict, which is no error: the node is looked at again.
//   - The answer to our own write counts until the cache has caught up (latest.go).
//   - What cannot be taken back is decided from the API server itself (live.go): what a node was like
//     before its cordon, that a node has no hold left, that nothing is left to evict.
package drainer
