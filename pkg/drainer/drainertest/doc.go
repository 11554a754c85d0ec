// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drainertest is for the tests of the drain engine: a simulated API server, and builders of
// the objects in it. It imports nothing of the engine, so that the tests of every package of the
// engine can import it.
//
// A builder is a struct whose zero fields have the defaults that most tests want:
//
//	drainertest.Budget{Name: "web", App: "web", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1}.Object()
//
// A Server works in a bubble of testing/synctest: it tells the time by package time, and what it
// starts ends when its watches are stopped.
//
// # Files
//
//	main.go, defaults.go                   what the tests of a package need; what builders share
//	node.go, hold.go, pod.go, budget.go,   builders of objects; those of the benchmarks
//	lease.go, bench.go
//	server.go, requests.go, watch.go       the simulated API server; what it answers
//	store.go, lookup.go, kinds.go,         its objects with their versions
//	patch.go
//	eviction.go, room.go, pods.go          the eviction API and its budgets; how pods end
//	faults.go, people.go                   requests that fail; what people and other controllers do
//	transform.go                           the property that what an informer keeps may be transformed twice
package drainertest
