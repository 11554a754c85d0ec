// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package eviction posts the evictions of all nodes, each as soon as the API server would let the
// pod go.
//
// # Answers to an eviction
//
//	answer                                 outcome                then
//	2xx                                    Evicted                never posted again, but to remove a pod that does not stop; its pod is to be deleted soon
//	404, 409                               Gone                   the pod's watch shows it; else retried later
//	429, cause DisruptionBudget            DisruptionBudget       nothing is posted for the budget until it changes,
//	                                                              or for 10 s; retried later if the watch does
//	                                                              not show the budget
//	"admission webhook ... denied"         AdmissionWebhook       retried later, or when the pod changes
//	429 otherwise                          Throttled              nothing at all is posted for a second, or for as
//	                                                              long as the API server asks for; the window is
//	                                                              halved
//	403, cause NamespaceTerminating        NamespaceTerminating   retried later
//	anything else, or no answer            Failed                 retried later
//	none: the pod had become ready         NotPosted              the pod's watch shows it; else retried soon
//
// Later means after 1 s, doubled with each failure up to 1 min, and not before a Retry-After is over.
//
// An eviction that asks (Eviction.Asks) is also posted while a budget forbids it, and retried later. It
// takes no room: the API server asks its webhooks first, and refuses the eviction then.
//
// # In which order
//
// All nodes are drained at the same time. The dispatcher goes through all of them each time that
// something changed. A pod that may not go now is passed over, so no node waits for another's pods. If
// several nodes want room of the same budget, their order decides:
//
//   - The node that is nearest to empty comes first, counting its pods that are still to be evicted
//     and that nothing blocks for good. So nodes finish one after another, and the first can be
//     worked on, rather than all at the end.
//   - But a node of which nothing was posted for 2 minutes (passedOverAfter) comes before those, the
//     one that has been draining longest first. So a stream of small nodes cannot put off a large one
//     for ever.
//   - Among equals, the one that has been draining longer comes first.
//
// # How many at a time
//
// A window bounds the requests under way, by Config.InFlight at most. A pod that was refused before is
// tried again only while less than half of the window is in use. A flow limits the requests of one
// budget: one at first, and one more after each success. The next one is posted when the budget's
// status shows the one before, or after half the time that an eviction usually takes. Each eviction
// updates the budget's status. If two updates collide, the API server waits half a second and repeats
// one. Evictions that wait for that do not hold back the others.
//
// # Room
//
// A budget's room is how many more of its pods may go. Its status shows an eviction a moment after that
// was posted. In between the room stays reserved. A pod that is not ready may be exempt from its
// budget. But its watch may lag behind the budget's, so the API server is asked about the pod just
// before the eviction. If the pod becomes ready after that, its eviction takes room all the same, so
// the budget is read just after the eviction. Until then the room stays reserved.
//
// # What happens at an eviction
//
//  1. Whenever a budget, a pod or an answer changes, Dispatcher goes through every waiting pod. It posts an eviction if
//     PermitFor says that the API server would accept it: no budget selects the pod; or the pod has finished, or is
//     Pending; or it is not ready, and its budget lets such pods go; or its one budget has room. Room that our own
//     evictions have taken does not count, even if the budget's status still shows it. For a pod that several budgets
//     select, nothing is posted otherwise: the API server would always refuse.
//  2. A pod that may go only because it is not ready is read once more just before. The pod of a virtual machine is
//     posted even if its budget has no room: KubeVirt's webhook is asked first, and only that begins its migration.
//  3. The eviction has the pod's UID as precondition, so a new pod of the same name is safe.
//  4. The table above says what follows from the answer.
//  5. The watch of the drainer shows that the pod is deleted, and wakes the node.
//
// One lock guards the dispatcher, and one the budgets. Everything is in memory, and only saves requests.
//
// # Files
//
//	dispatcher.go           when a pod is posted; what follows from the answer
//	queue.go, order.go      what each node wants evicted; which node goes first
//	permit.go               pure: whether the API server would let a pod go
//	request.go              one API call
//	answer.go, attempt.go   what an answer means; what is known of one pod's requests: the last answer, the backoff
//	flow.go                 how many at a time, and how soon one after another: of one budget, and in all
//	budget.go, budgets.go   one state of one budget, which never changes; all budgets, and snapshots of them
//	room.go                 how many more pods a budget lets go: reservations, refusals
//	selection.go            which budgets select which queued pods
package eviction
