// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drainer takes nodes out of service for the NodeMaintenances that ask for it, and gives
// them back.
//
// # How it works
//
// There is one queue, of node names. Whatever happens - to a hold (a NodeMaintenance), a node, a
// pod on a node under drain, a disruption budget - puts names of nodes into it. A worker takes a
// name, looks at what the node's holds want and at what the node is, and does the next thing
// about it (reconcile.go). It waits for no pod, so one look takes as long as its requests do.
//
//	holds on the node                 what is done                                 file
//	none                              nothing; a node left behind is given back    orphans.go
//	some, but the node is not there   their status says so; released ones end      reconcile.go
//	none that wants it cordoned       the node is given back; released ones end    giveback.go
//	some that want it cordoned        1. each writes status.nodeBefore             cordon.go
//	                                  2. released ones end
//	                                  3. the node is cordoned, drift is repaired
//	some that want it drained         4. the plan is made and handed on            drain.go, plan.go
//	all of these                      5. status is written                         status.go
//
// What the node gets is the union of its holds (holds.go): the highest stage, every pod that one
// of them would evict, the longest of their grace periods. What a hold's status says is judged as
// if the hold were alone.
//
// Nothing that is needed to go on is kept in memory. A process that is killed at any moment is
// followed by one that finds all of it in the holds' status, on the nodes and on the pods.
//
// # Caches that lag
//
// Holds, nodes, budgets and DaemonSets are read from informers, which lag, most of all behind
// our own writes. Therefore:
//   - a write of a status, a finalizer or a node names the version that it was computed from, and
//     a stale one ends in a conflict (which is no error: the node is looked at again);
//   - the answer to our own write counts until the cache has caught up (latest.go);
//   - what cannot be taken back is decided from the API server itself: what a node was like
//     before its cordon, that a node has no hold left, that nothing is left to evict.
//
// # What an eviction may come to
//
// The plan (plan.go) says for each pod of a node whether it stays, goes, or cannot go, and why.
// Which pods a drain evicts at all is kubectl's decision (select.go); which of these a hold wants
// gone, and in which turn, its rules say (treatment.go, holdplan.go). The dispatcher
// (dispatch.go), one for the process, posts those that are to go, each as soon as the API server
// would let it go by the rules of permitFor, which the plan uses too. What is left past a deadline
// with onTimeout Delete is deleted instead, and no budget is asked.
//
//	answer                                 outcome                then
//	2xx                                    evicted                never posted again; its end is awaited
//	404, 409                               gone                   the pod's watch shows it; else again later
//	429, cause DisruptionBudget            disruption_budget      a budget that we know is left alone until it
//	                                                              changes, or for 10 s; else as a failure
//	"admission webhook ... denied"         admission_webhook      again later, or when the pod changes
//	429 otherwise                          throttled              nothing at all is posted for a second, or as
//	                                                              long as the API server says; then half as many
//	403, cause NamespaceTerminating        namespace_terminating  again later
//	anything else, or no answer            failed                 again later
//	none: the pod had become ready         not_posted             the pod's watch shows it; else again soon
//
// Later is 1 s, doubled up to 1 min, and no earlier than a Retry-After asks for.
//
// # In which order
//
// Of one node's pods, those of an earlier turn are gone before the next turn starts. All nodes
// are drained at a time. The dispatcher goes through all nodes each time that something changed; a
// pod that may not go now is passed over, so no node waits for another's pods. Where nodes want
// the room of one budget, their order decides:
//
//   - the node nearest to empty comes first, counting its pods that are still to be evicted and
//     that nothing blocks for good. So nodes finish one after another, and the first can be worked
//     on, rather than all at the end;
//   - but a node of which nothing was posted for 2 minutes (passedOverAfter) comes before those, the
//     longest draining first: a large node is not put off for ever by a stream of small ones;
//   - among equals, the one that has been draining longer.
//
// At most Config.EvictionsInFlight evictions are under way, and of these at most half are pods that
// were refused before. Of one budget there is one to begin with, then one more after each that
// was answered within a second, up to four: each eviction updates the budget's status, and
// updates that collide wait for half a second (flow.go).
//
// A budget's status shows an eviction a moment after it was posted. In between the dispatcher
// subtracts its own posts from the room that the status shows (budgetroom.go). A pod that is not
// ready may be exempt from its budget; but its watch may lag behind the budget's, so the API server
// is asked about it just before, and what its eviction may have taken after all is held for a moment.
package drainer
