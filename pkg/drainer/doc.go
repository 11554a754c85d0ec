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
// node's holds want and what the node is (look.go). Then a pure function says which step is next (next.go), and the
// step is done (reconcile.go), until nothing more is to be done. What was done is reported (reporter.go). It waits for
// no pod, so a reconcile takes only as long as its requests.
//
// Holds whose time is over are deleted first. Then what the holds together want decides (package holdstatus):
//
//	situation    holds on the node                        what is done
//	Unheld       none                                     nothing; a node left behind is given back, and gates that
//	                                                      name a node are released
//	Gone         some, but the node is not there          their status says so; gates are released; ending holds end
//	Unwanted     none that wants it cordoned              the node is given back, unless a gate keeps it; gates are
//	                                                      released; their status says so; ending holds end
//	Undecided    none but those whose stage only a newer  the node is left as it is; their status says so
//	             version knows, or of which it is not
//	             known whether they are admitted, or
//	             that cannot be read
//	Wanted       some that want it cordoned               each writes status.nodeBefore; ending holds end; the gates
//	                                                      are asked; the node is cordoned, drift is repaired; if one
//	                                                      wants it drained, the plan is made and handed on; status
//	                                                      and the node's conditions are written
//
// The steps of each situation, and what follows when one fails, are lists in next.go. What a step finds is in the view.
//
// How far a hold may go is asked of Admission, if the configuration has one (admission.go). Until it is admitted, a
// hold counts as Idle. A node that is given back, or never was taken, may be marked as planned.
// While it is not known whether a hold is admitted, the node is left as it is, as with a stage that only a newer
// version knows. A hold that has taken its node goes on, whatever Admission says.
//
// All holds of a node together decide what is done: the highest stage, every pod that one of them would
// evict, the longest of their grace periods. The status of each hold is worked out as if the hold were
// alone.
//
// # Who does what
//
//	clusterwatch the Watcher knows the cluster and plans drains; every process has one
//	nodemarks    pure: what a node in maintenance carries, and the patches that set it and take it off
//	holdstatus   pure: what holds ask for, how far they are admitted, what their status says, and the events of that
//	leader       the loop of the one process that acts                         leader.go, reconcile.go
//	next         pure: which step is to be done                                next.go
//	gates        are asked, and release what they hold                         gate.go
//	holdWriter   writes NodeMaintenances: status, finalizer, expiry            holdwriter.go, sayings.go
//	nodeWriter   writes nodes: cordon, give-back, conditions, planned marks    nodewriter.go
//	drains       moves pods: watch, plan, evictions, volumes, confirmation     drain.go
//	reporter     tells people: events and metrics                              reporter.go, metrics.go
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
//   - The answer to our own write counts until the cache has caught up (holdstatus.Latest).
//   - A process that begins to lead waits until its caches show what the one before it did (clusterwatch).
//   - What cannot be taken back is decided by asking the API server itself (read.go): what a node
//     was like before its cordon, that a node has no hold left, that nothing is left to evict.
//
// # More files
//
//	drainer.go, config.go, follow.go       all that others call, and what a Drainer is made from
//	handlers.go                            which change wakes which node
//	leadalways.go, heartbeat.go            leading where there is no election; shows that the workers still run
//	admission.go                           Admission, which says how far holds may go
//	memory.go                              what is remembered of nodes, only to save requests
//	notes.go                               what is told once: holds that cannot be read, nodes left behind
package drainer
