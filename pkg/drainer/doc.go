// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drainer takes nodes out of service for the NodeMaintenances that ask for it, and gives
// them back.
//
// # How it works
//
// The leader has one queue, of node names. Changes of a hold (a NodeMaintenance), a node, a pod on a
// node under drain, a disruption budget, a namespace or a VolumeAttachment put names of nodes into it,
// and so do evictions that fail. A worker takes a name and reconciles the node: it looks at what the
// node's holds want and what the node is (look.go), does what is to be done next (reconcile.go), and
// reports what it did (reporter.go). It waits for no pod, so a reconcile takes only as long as its
// requests.
//
// Holds whose time is over are deleted first (expiration.go). Then:
//
//	holds on the node                 what is done                                 file
//	none                              nothing; a node left behind is given back,   giveback.go
//	                                  and gates that name a node are released
//	some, but the node is not there   their status says so; gates are released;    giveback.go
//	                                  ending holds end
//	none that wants it cordoned       the node is given back, unless a gate keeps  giveback.go
//	                                  it; gates are released; their status says
//	                                  so; ending holds end
//	none but those whose stage only   the node is left as it is; their status      unknownstage.go
//	a newer version knows, or of      says so
//	which it is not known whether
//	they are admitted, or that        unreadable.go
//	cannot be read
//	some that want it cordoned        1. each writes status.nodeBefore             before.go
//	                                  2. ending holds end                          holdwriter.go
//	                                  3. the gates are asked                       gate.go
//	                                  4. the node is cordoned, drift is repaired   nodewriter.go
//	some that want it drained         5. the plan is made and handed on            drain.go
//	the last two                      6. status and the node's conditions are      holdwriter.go,
//	                                  written                                      nodewriter.go
//
// How far a hold may go is asked of Admission, if the configuration has one (admitted.go). Until it is admitted, a
// hold counts as Idle. A node that is given back, or never was taken, may be marked as planned (planned.go).
// While it is not known whether a hold is admitted, the node is left as it is, as with a stage that only a newer
// version knows. A hold that has taken its node goes on, whatever Admission says.
//
// All holds of a node together decide what is done: the highest stage, every pod that one of them would
// evict, the longest of their grace periods. The status of each hold is worked out as if the hold were
// alone.
//
// # Who does what
//
//	watcher      knows the cluster and plans drains; every process has one     watcher.go
//	leader       the loop of the one process that acts                         leader.go
//	holdWriter   writes NodeMaintenances: status, finalizer, expiry            holdwriter.go
//	nodeWriter   writes nodes: cordon, give-back, conditions, planned marks    nodewriter.go
//	drains       moves pods: watch, plan, evictions, volumes, confirmation     drain.go
//	reporter     tells people: events and metrics                              reporter.go
//
// Writers return what they changed, and only the reporter tells people of it. Package plan, which is
// pure, decides what happens with each pod. Package eviction posts the evictions. Package returns notes
// pods that come back to a cordoned node. Package virtualmachine says what KubeVirt does with the virtual
// machines of pods.
//
// # After a crash
//
// Nothing that is needed to go on is kept in memory. A process may be killed at any moment: the next
// one finds everything in the holds' status, on the nodes and on the pods. What is remembered only to
// save requests is in memory.go.
//
// # Caches that lag
//
// Holds, nodes, budgets, DaemonSets, namespaces and VolumeAttachments are read from informers. These lag, most of all behind
// our own writes. Therefore:
//   - A write of a status, a finalizer or a node names the version that it was worked out from. A
//     stale write ends in a conflict, which is no error: the node is looked at again.
//   - The answer to our own write counts until the cache has caught up (latest.go).
//   - A process that begins to lead waits until its caches show what the one before it did (catchup.go).
//   - What cannot be taken back is decided by asking the API server itself (live.go): what a node
//     was like before its cordon, that a node has no hold left, that nothing is left to evict.
package drainer
