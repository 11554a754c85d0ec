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
// Nothing else writes, but for the Dispatcher of package eviction: it posts evictions, and deletes pods after a deadline.
//
// Writers return what they changed, and only the reporter tells people of it. Package plan, which is
// pure, decides what happens with each pod. Package eviction posts the evictions. Package returns notes
// pods that come back to a cordoned node. Package virtualmachine says what KubeVirt does with the virtual
// machines of pods.
//
// # After a crash
//
// Nothing that is needed to go on is kept in memory. A process may be killed at any moment: the next
// one finds everything in the holds' status (when the drain began, its deadline, what the node was like before), on the
// nodes and on the pods. It lists all objects, reconciles every node that has holds or marks, and continues. What is
// remembered only to save requests is in memory.go: each field there says who writes it, when it is stale, and what its
// loss costs.
//
// # A node
//
//	in service -> recorded -> cordoned -> draining -> drained -> in service
//
//	recorded     status.nodeBefore of the hold says what the node was like. It waits here while a gate says so
//	cordoned     one patch: unschedulable, taint, label, annotation. What somebody takes off is put back
//	draining     the evictions of the plan are posted. Back to cordoned when no hold drains the node any more
//	drained      a live list shows no pod that is to leave. Back to draining when a pod comes
//	in service   one patch takes off what the cordon put on, and no more: from any of these, when no hold wants the node
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
//
// # More files
//
//	drainer.go, config.go, follow.go       all that others call, and what a Drainer is made from
//	caches.go, trim.go                     informers and their indexes; what is cut off an object before it is
//	                                       cached
//	handlers.go                            which change wakes which node
//	leadalways.go, heartbeat.go            leading where there is no election; shows that the workers still run
//	takeout.go                             record, gates, cordon, drain, in this order
//	admission.go, admissionstatus.go       Admission; what a status says of it
//	gatememory.go, kept.go                 a gate that knows what it holds; holds of a node that a gate keeps
//	marks.go, nodepatch.go                 pure: what a cordoned node carries; the patches that put it on and take
//	                                       it off
//	imported.go                            pure: the first status of a hold that was imported from another operator
//	nodeconditions.go                      pure: the conditions of the node
//	podwatch.go                            watches the pods of each node under drain, and of no other
//	select.go, podcount.go, load.go        which pods a drain evicts at all, by kubectl's own filters; how many it
//	                                       moves in all, and what that takes
//	volumes.go                             which volumes are still attached, and which nodes can have those of a
//	                                       pod
//	returned.go                            since when the node has been cordoned, for package returns
//	status.go, drainstatus.go,             pure: the next status, from facts
//	drainmessages.go
//	statusread.go, said.go, plausible.go   what a status says; our last write of it; what others write there is put
//	                                       right
//	writelimit.go                          a status is written at most once a second in the long run
//	changes.go, events.go,                 what a step has changed; the events for it, in words
//	statusevents.go
//	operatorevents.go                      the same in the words of the node-maintenance operators
package drainer
